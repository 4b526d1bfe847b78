// SPDX-License-Identifier: MIT
//
// The grammar of functional programs: docs/functional.md. parse.cc cuts a text before each word that
// begins a statement and stands first on its line, and feeds the parser one part at a time. One token
// tells every alternative, so what is expected at a mistake is always known; for that, what stands
// before `->` is a sum for the parser, of which parse.cc takes names and tuples of names. Expressions,
// types and patterns within each other make the parser recurse, and parse.cc limits their depth.
grammar Fun;

// ---- statements

part : statement* EOF ;

statement
    : (SIZE | LIMIT) NAME ASSIGN sum
    | PARAM NAME (IN range (BAR range)*)?
    | REQUIRE NAME COLON sum compare sum
    | DEF NAME (LPAR pattern (COMMA pattern)* RPAR)? ASSIGN expression
    | USER NAME LPAR type (COMMA type)* RPAR COLON type
    | INPUT NAME COLON type
    | KERNEL NAME (COLON type)? ASSIGN expression
    ;

range   : sum (RANGE sum)? ;
compare : LE | GE | EQ | NE | LT | GT ;
pattern : NAME | LPAR pattern (COMMA pattern)* RPAR ;

type
    : NAME (LPAR type COMMA sum RPAR)?   // A name, or a vector of elements.
    | LBRACKET type RBRACKET sum
    | LPAR type (COMMA type)* RPAR
    ;

// ---- expressions

expression
    : LET pattern ASSIGN expression IN expression
    | sum (ARROW expression | (PIPE postfix)*)
    ;

sum     : product ((PLUS | MINUS) product)* ;
product : factor ((STAR | SLASH | PERCENT | DIV) factor)* ;
factor  : MINUS* postfix ;
postfix : primary call* ;
call    : LPAR (expression (COMMA expression)*)? RPAR ;

primary
    : NUMBER
    | REAL
    | NAME (AT NAME)?
    | LPAR expression (COMMA expression)* RPAR
    ;

// ---- reserved words

DEF     : 'def' ;
DIV     : 'div' ;
IN      : 'in' ;
INPUT   : 'input' ;
KERNEL  : 'kernel' ;
LET     : 'let' ;
LIMIT   : 'limit' ;
PARAM   : 'param' ;
REQUIRE : 'require' ;
SIZE    : 'size' ;
USER    : 'user' ;

// ---- operators

COLON    : ':' ;
COMMA    : ',' ;
LPAR     : '(' ;
RPAR     : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
ARROW    : '->' ;
PIPE     : '|>' ;
BAR      : '|' ;
RANGE    : '..' ;
LE       : '<=' ;
GE       : '>=' ;
EQ       : '==' ;
NE       : '!=' ;
LT       : '<' ;
GT       : '>' ;
ASSIGN   : '=' ;
PLUS     : '+' ;
MINUS    : '-' ;
STAR     : '*' ;
SLASH    : '/' ;
PERCENT  : '%' ;
AT       : '@' ;

// ---- names, numbers, comments; the longest match wins, then the order here

NAME       : [a-zA-Z_] [a-zA-Z0-9_]* ;
NUMBER     : [0-9]+ ;
REAL       : [0-9]+ '.' [0-9]+ 'f'? ;   // As C writes it.
BAD_NUMBER : [0-9]+ ('.' [0-9]+)? [a-zA-Z_] [a-zA-Z0-9_]* ;
COMMENT    : '//' ~[\n]* -> skip ;
BLANK      : [ \t\r\n]+ -> skip ;
// As many bytes as mean nothing.
INVALID    : ~[a-zA-Z0-9_ \t\r\n:,()[\]|<>=+\-*/%@.!]+ | [.!] ;
