// SPDX-License-Identifier: MIT
//
// The grammar of `.exh` files. parse.cc feeds the parser one statement at a time, after it has
// spliced included files in, joined adjacent code literals and doc lines, and given the contextual
// words (`choice`, `type`, `adds`, `host`, `let` …) token types of their own. Only parentheses make
// the parser recurse, and parse.cc limits their depth. What stands in parentheses is a formula for
// the parser, even within a term; parse_tree.cc knows them apart.
grammar Exh;

tokens {
    HOST, ADDS, LET, EXTERN, DYNAMIC, PREDICATE, CONSTANT, WHERE, ONCE, CANONICAL, DECIDE,
    NEGATIVE, DIV, MIN, MAX, CONSTANT_NAME, MINIMIZE, MAXIMIZE, LOWER_BOUND
}

// ---- statements

oneStatement : statement EOF ;

statement
    : setDecl | quotientDecl | enumDecl | integerDecl | counterDecl
    | requireDecl | triggerDecl | letDecl | externDecl | hostDecl | decideDecl
    | objectiveDecl | lowerBoundDecl
    ;

setDecl
    : DOC? SET SET_ID ((LPAR varDef RPAR)? (SUBSETOF setRef)? COLON disjoint? key* END
                      | ASSIGN term RANGE term)
    ;

quotientDecl
    : DOC? QUOTIENT CANONICAL? SET_ID (LPAR varDef RPAR)? OF varDef COLON
      CHOICE_ID ASSIGN formula? SLASH CHOICE_ID IS values
      disjoint? key* END
    ;

disjoint : DISJOINT COLON SET_ID (COMMA SET_ID)* ;
key      : KEY (FORALL varDef)? ASSIGN CODE ;

enumDecl : DOC? DEFINE ENUM CHOICE_ID arguments COLON enumItem* END ;

enumItem
    : DOC? (valueItem | aliasItem)
    | SYMMETRIC
    | ANTISYMMETRIC COLON inversePair*
    ;

valueItem   : VALUE VALUE_ID COLON requirement* ;
aliasItem   : ALIAS VALUE_ID ASSIGN values COLON requirement* ;
inversePair : VALUE_ID ARROW VALUE_ID ;
requirement : REQUIRES constraint ;

integerDecl : DOC? DEFINE INTEGER CHOICE_ID arguments COLON (CODE | span (BAR span)*) END ;

counterDecl
    : DOC? DEFINE (HALF | INTERNAL)? COUNTER CHOICE_ID arguments COLON
      (BASE (CODE | NEGATIVE? NUMBER | CONSTANT_NAME | instance))? forall* (SUM | MUL) term WHEN COLON? formula* END
    ;

requireDecl : DOC? REQUIRE label? constraint ;
triggerDecl : TRIGGER ONCE? label? forall* adds? CODE WHEN formula ;
letDecl     : DOC? LET CHOICE_ID arguments ASSIGN formula ;
externDecl
    : DOC? EXTERN (PREDICATE CHOICE_ID arguments (ASSIGN CODE)?
                  | DYNAMIC PREDICATE CHOICE_ID arguments OF setRef (ASSIGN CODE)?
                  | CONSTANT CHOICE_ID arguments? (ASSIGN (CODE | NEGATIVE? NUMBER))?
                  | SET SET_ID (LPAR varDef RPAR)? (SUBSETOF setRef)?)
    ;
adds        : ADDS SET_ID (COMMA SET_ID)* ;
hostDecl    : HOST CODE COLON hostEntry* END ;
hostEntry   : CHOICE_ID ASSIGN CODE ;
decideDecl  : DECIDE CHOICE_ID (COMMA CHOICE_ID)* ;
objectiveDecl  : (MINIMIZE | MAXIMIZE) term ;
lowerBoundDecl : LOWER_BOUND CHOICE_ID COLON term ;

// ---- parts

label       : CHOICE_ID COLON ;
forall      : FORALL VAR ((COMMA VAR)* | (LT VAR)+) IN setRef (WHERE formula)? COLON ;
constraint  : forall* formula* ;
formula     : disjunction (IMPLIES disjunction)* ;
disjunction : conjunction (OR conjunction)* ;
conjunction : negation (AND negation)* ;
negation    : NOT* condition ;

// A term alone is a formula in parentheses, code, or the use of a `let` or a predicate.
condition
    : term (IS NOT? (values | numbers) | compare term)?
    | TRUE
    | FALSE
    ;

term    : product ((PLUS | MINUS) product)* ;
product : factor ((STAR | SLASH | PERCENT | DIV) factor)* ;
factor
    : NEGATIVE* (LPAR formula RPAR | (MIN | MAX) LPAR term COMMA term RPAR
                | instance | CODE | NUMBER | CONSTANT_NAME | VAR)
    ;

compare   : LT | GT | LE | GE | EQ | NE ;
instance  : CHOICE_ID LPAR (VAR (COMMA VAR)*)? RPAR ;
values    : VALUE_ID (BAR VALUE_ID)* ;
numbers   : range (BAR range)* ;
range     : NUMBER (RANGE NUMBER)? ;
span      : term (RANGE term)? ;
arguments : LPAR (varDef (COMMA varDef)*)? RPAR ;
varDef    : VAR IN setRef ;
setRef    : SET_ID (LPAR VAR RPAR)? ;

// ---- reserved words

ALIAS         : 'alias' ;
ANTISYMMETRIC : 'antisymmetric' ;
BASE          : 'base' ;
COUNTER       : 'counter' ;
DEFINE        : 'define' ;
DISJOINT      : 'disjoint' ;
END           : 'end' ;
ENUM          : 'enum' ;
FALSE         : 'false' ;
FORALL        : 'forall' ;
HALF          : 'half' ;
IN            : 'in' ;
INTEGER       : 'integer' ;
INTERNAL      : 'internal' ;
IS            : 'is' ;
MUL           : 'mul' ;
NOT           : 'not' ;
OF            : 'of' ;
QUOTIENT      : 'quotient' ;
REQUIRE       : 'require' ;
REQUIRES      : 'requires' ;
SET           : 'set' ;
SUBSETOF      : 'subsetof' ;
SUM           : 'sum' ;
SYMMETRIC     : 'symmetric' ;
TRIGGER       : 'trigger' ;
TRUE          : 'true' ;
VALUE         : 'value' ;
WHEN          : 'when' ;

KEY
    : 'add_to_set' | 'from_superset' | 'id_getter' | 'id_type' | 'item_getter' | 'item_type'
    | 'iterator' | 'new_objs' | 'reverse' | 'var_prefix'
    ;

// ---- operators

COLON  : ':' ;
COMMA  : ',' ;
LPAR   : '(' ;
RPAR   : ')' ;
BAR    : '|' ;
OR     : '||' ;
AND    : '&&' ;
LT     : '<' ;
GT     : '>' ;
LE     : '<=' ;
GE     : '>=' ;
EQ     : '==' ;
NE     : '!=' ;
ASSIGN : '=' ;
ARROW  : '->' ;
IMPLIES: '=>' ;
SLASH  : '/' ;
PLUS   : '+' ;
MINUS  : '-' ;
STAR   : '*' ;
PERCENT: '%' ;
RANGE  : '..' ;

// ---- names; the longest match wins, then the order here

CHOICE_ID : [a-z] [a-z0-9_]* ;
VALUE_ID  : [A-Z] [A-Z0-9_]* ;
SET_ID    : [A-Z] [a-zA-Z0-9_]* ;
VAR       : '$' [a-zA-Z0-9_]+ ;
NUMBER    : [0-9]+ ;

// ---- code, includes, comments

// The path runs to the last quote of the line.
INCLUDE       : 'include' [ \t\r\n]* '"' ~[\n]* '"' ;
// A backslash before a quote makes it part of the code; a raw newline is kept.
CODE          : '"' (~["\\] | '\\'+ ~[\\])* '"' ;
// Shorter than CODE whenever the closing quote exists, so it matches at the end of the file only.
OPEN_CODE     : '"' (~["\\] | '\\'+ ~[\\])* '\\'* ;
DOC           : '///' ~[\n]* ;
LINE_COMMENT  : '//' (~[/\n] ~[\n]*)? -> skip ;
BLOCK_COMMENT : '/*' (~[*] | '*'+ ~[*/])* '*'+ '/' -> skip ;
OPEN_COMMENT  : '/*' (~[*] | '*'+ ~[*/])* '*'* ;
BLANK         : [ \t\r\n]+ -> skip ;
INVALID       : . ;
