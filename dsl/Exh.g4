// SPDX-License-Identifier: MIT
//
// The grammar of `.exh` files. parse.cc feeds the parser one statement at a time, after it has
// spliced included files in, joined adjacent code literals and doc lines, and given the contextual
// words (`choice`, `type`, `adds`, `host`) the token types of the words they stand for. No rule is
// recursive, so no input can make the parser recurse deeply.
grammar Exh;

tokens { HOST, ADDS }

// ---- statements

oneStatement : statement EOF ;

statement
    : setDecl | quotientDecl | enumDecl | integerDecl | counterDecl
    | requireDecl | triggerDecl | hostDecl
    ;

setDecl
    : DOC? SET SET_ID (LPAR varDef RPAR)? (SUBSETOF setRef)? COLON disjoint? key* END
    ;

quotientDecl
    : DOC? QUOTIENT SET_ID (LPAR varDef RPAR)? OF varDef COLON
      CHOICE_ID ASSIGN (condition (AND condition)*)? SLASH CHOICE_ID IS values
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

integerDecl : DOC? DEFINE INTEGER CHOICE_ID arguments COLON CODE END ;

counterDecl
    : DOC? DEFINE (HALF | INTERNAL)? COUNTER CHOICE_ID arguments COLON
      (BASE CODE)? forall* (SUM | MUL) (CODE | instance) WHEN COLON? condition* END
    ;

requireDecl : DOC? REQUIRE label? constraint ;
triggerDecl : TRIGGER label? forall* adds? CODE WHEN condition (AND condition)* ;
adds        : ADDS SET_ID (COMMA SET_ID)* ;
hostDecl    : HOST CODE COLON hostEntry* END ;
hostEntry   : CHOICE_ID ASSIGN CODE ;

// ---- parts

label       : CHOICE_ID COLON ;
forall      : FORALL VAR (COMMA VAR)* IN setRef COLON ;
constraint  : forall* disjunction* ;
disjunction : condition (OR condition)* ;

condition
    : instance (IS NOT? values | compare (instance | CODE))
    | CODE
    | TRUE
    | FALSE
    ;

compare   : LT | GT | LE | GE | EQ | NE ;
instance  : CHOICE_ID LPAR (VAR (COMMA VAR)*)? RPAR ;
values    : VALUE_ID (BAR VALUE_ID)* ;
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
SLASH  : '/' ;

// ---- names; the longest match wins, then the order here

CHOICE_ID : [a-z] [a-z0-9_]* ;
VALUE_ID  : [A-Z] [A-Z0-9_]* ;
SET_ID    : [A-Z] [a-zA-Z0-9_]* ;
VAR       : '$' [a-zA-Z0-9_]+ ;

// ---- code, includes, comments

// The path runs to the last quote of the line.
INCLUDE       : 'include' [ \t\r\n]* '"' ~[\n]* '"' ;
// No escape for a quote exists; a raw newline is kept.
CODE          : '"' ~["]* '"' ;
// Shorter than CODE whenever the closing quote exists, so it matches at the end of the file only.
OPEN_CODE     : '"' ~["]* ;
DOC           : '///' ~[\n]* ;
LINE_COMMENT  : '//' (~[/\n] ~[\n]*)? -> skip ;
BLOCK_COMMENT : '/*' (~[*] | '*'+ ~[*/])* '*'+ '/' -> skip ;
OPEN_COMMENT  : '/*' (~[*] | '*'+ ~[*/])* '*'* ;
BLANK         : [ \t\r\n]+ -> skip ;
INVALID       : . ;
