// SPDX-License-Identifier: MIT
//
// The grammar of kernels as text: docs/kernels.md. parse.cc cuts a text into lines, each of which
// may go on in the next, and feeds the parser one of them at a time. Only brackets make the parser
// recurse, and parse.cc limits their depth.
grammar Kernel;

// ---- lines

line : item EOF ;

item
    : DOC? head | DOC? sizes | DOC? scalars | DOC? array | DOC? requirement | tile | DOC? statement
    | END
    ;

head      : KERNEL NAME ;
sizes     : (SIZE | OPTION) size (COMMA size)* ;
size      : NAME (ASSIGN value)? (IN (integer RANGE integer | words))? ;   // The last range is that of all that have none.
value     : integer | NAME ;
words     : LPAR NAME (COMMA NAME)* RPAR ;   // The values of an option, by name.
integer   : MINUS? NUMBER ;
scalars   : SCALAR scalar (COMMA scalar)* ;
scalar    : NAME (COLON NAME)? ASSIGN MINUS? NUMBER ;
array     : (INPUT | OUTPUT) NAME COLON type subscripts? strides? outside? aligned? ;
type      : NAME | LPAR expression RPAR ;   // In brackets: a choice of types.
strides   : STRIDES LPAR expression (COMMA expression)* RPAR ;
outside   : OUTSIDE expression ;
aligned   : ALIGNED expression ;
tile      : TILE NAME (COMMA NAME)* COLON expression (COMMA expression)* ;
requirement : REQUIRE expression ;
statement : NAME (COLON NAME)? subscripts? ASSIGN expression ;

// ---- expressions

subscripts  : LBRACKET expression (COMMA expression)* RBRACKET ;
expression  : disjunction (QUESTION expression COLON expression)? ;
disjunction : conjunction ((OR | XOR) conjunction)* ;
conjunction : negation (AND negation)* ;
negation    : NOT* comparison ;
comparison  : sum ((LT | LE | GT | GE | EQ | NE) sum)? ;
sum         : product ((PLUS | MINUS) product)* ;
product     : factor ((STAR | SLASH | PERCENT) factor)* ;
factor      : MINUS* primary ;
body        : primary ((STAR | SLASH | PERCENT) factor)* ;

primary
    : NUMBER
    | INF
    | LPAR expression RPAR
    | NAME LPAR expression (COMMA expression)* computed? RPAR body?   // A call; with a body, a reduction.
    | NAME subscripts?
    ;
computed : COLON NAME ;   // The type that a reduction is computed in.

// ---- reserved words

ALIGNED : 'aligned' ;
AND     : 'and' ;
END     : 'end' ;
IN      : 'in' ;
INF     : 'inf' ;
INPUT   : 'input' ;
KERNEL  : 'kernel' ;
NOT     : 'not' ;
OPTION  : 'option' ;
OR      : 'or' ;
OUTPUT  : 'output' ;
OUTSIDE : 'outside' ;
REQUIRE : 'require' ;
SCALAR  : 'scalar' ;
SIZE    : 'size' ;
STRIDES : 'strides' ;
TILE    : 'tile' ;
XOR     : 'xor' ;

// ---- operators

COLON    : ':' ;
COMMA    : ',' ;
LPAR     : '(' ;
RPAR     : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
QUESTION : '?' ;
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

// ---- names, numbers, comments; a line break or a semicolon may end a line

NAME    : [a-zA-Z_] [a-zA-Z0-9_]* ;
NUMBER  : [0-9]+ ('.' [0-9]+)? ([eE] [+-]? [0-9]+)? ;
DOC     : '///' ~[\n]* ;
COMMENT : '//' (~[/\n] ~[\n]*)? -> skip ;
BREAK   : '\n' | ';' ;
BLANK   : [ \t\r]+ -> skip ;
INVALID : . ;
