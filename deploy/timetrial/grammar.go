package timetrial

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// statementTree is the grammar of one statement, in participle's notation. It extends Fig. 3.4 with labels of earlier
// statements instead of measurements, statistics in conditionals, paths, the words and, or and not, and byte rates. It
// also has the arrows => and =<, which the thesis prints too.
type statementTree struct {
	Pos     lexer.Position
	Label   string       `parser:"( @Ident ':' )?"`
	Measure *measureTree `parser:"( 'measure' @@"`
	Assert  *orTree      `parser:"| 'assert' @@ )"`
}

type measureTree struct {
	Pos    lexer.Position
	What   quantityTree  `parser:"@@"`
	WhenAt *signalAtTree `parser:"( 'when' ( @@"`
	When   *orTree       `parser:"         | @@ ) )?"`
	After  *signalAtTree `parser:"( 'after' @@ )?"`
}

// quantityTree is a measurement or the label of a measurement.
type quantityTree struct {
	Pos    lexer.Position
	Stat   *statisticTree `parser:"(  ( @@"`
	Of     *typeTree      `parser:"     @@? "`
	Alone  *typeTree      `parser:"   | @@ )"`
	Target *targetTree    `parser:"   ('at' | 'of') @@"`
	Label  string         `parser:"| @Ident )"`
}

// typeTree is a measure type.
type typeTree struct {
	Word string `parser:"@( 'rate'|'util'|'occupancy'|'latency'|'backpressure'|'value'|'states'|'size' )"`
}

// kind returns the word for the measure type; "" if it is omitted.
func (q *quantityTree) kind() string {
	for _, t := range []*typeTree{q.Of, q.Alone} {
		if t != nil {
			return t.Word
		}
	}
	return ""
}

type statisticTree struct {
	Pos    lexer.Position
	Name   string      `parser:"@('min' | 'max' | 'mean' | 'sum' | 'hist' | 'trace')"`
	Params []paramTree `parser:"( '(' ( @@ ( ',' @@ )* )? ')' )?"`
}

type paramTree struct {
	Pos   lexer.Position
	Name  string     `parser:"( @Ident '=' )?"`
	Value numberTree `parser:"@@"`
}

type targetTree struct {
	Pos    lexer.Position
	At     pathTree    `parser:"@@"`
	To     *pathTree   `parser:"( ( '->' | '=>' | '=<' ) @@"`
	Signal *signalTree `parser:"| ':' @@"`
	Via    []pathTree  `parser:"| ( '...' @@ )+ )?"`
}

// signalAtTree is an expression of a kernel's signals.
type signalAtTree struct {
	Pos    lexer.Position
	At     pathTree   `parser:"@@ ':'"`
	Signal signalTree `parser:"@@"`
}

// signalTree is one signal, or a combination of signals in parentheses.
type signalTree struct {
	Pos   lexer.Position
	Name  *signalNameTree  `parser:"  @@"`
	Group []signalItemTree `parser:"| '(' @@+ ')'"`
}

// signalNameTree is a dotted name, optionally with a range of bits.
type signalNameTree struct {
	Pos   lexer.Position
	Parts []string `parser:"@( Ident ( '[' Number ']' )? ( '.' Ident ( '[' Number ']' )? )* )"`
	High  string   `parser:"( '[' @Number"`
	Low   string   `parser:"  ':' @Number ']' )?"`
}

// signalItemTree is an operand or operator; signalParser groups them by precedence.
type signalItemTree struct {
	Pos      lexer.Position
	Number   string           `parser:"  @( Number | Hex )"`
	Op       string           `parser:"| @( '!' | 'not' | '&' | '&&' | 'and' | '|' | '||' | 'or' | '^' | '+' )"`
	Relation string           `parser:"| @( '==' | '!=' | '<' | '<=' | '>' | '>=' )"`
	Name     *signalNameTree  `parser:"| @@"`
	Group    []signalItemTree `parser:"| '(' @@+ ')'"`
}

// pathTree is a dotted name. Array elements have an index, and copies of kernels have a number: top.fir[3]#2. Edges
// between copies have two numbers, which the lexer reads as one: top.e#1.2.
type pathTree struct {
	Pos   lexer.Position
	Parts []string `parser:"@( Ident ( '[' Number ']' )? Copy? ( '.' Ident ( '[' Number ']' )? Copy? )* )"`
}

type orTree struct {
	Pos   lexer.Position
	Terms []andTree `parser:"@@ ( ( '|' | '||' | 'or' ) @@ )*"`
}

type andTree struct {
	Factors []notTree `parser:"@@ ( ( '&' | '&&' | 'and' ) @@ )*"`
}

type notTree struct {
	Pos         lexer.Position
	Not         *notTree         `parser:"(  ( '!' | 'not' ) @@"`
	Group       *orTree          `parser:"|  '(' @@ ')'"`
	Conditional *conditionalTree `parser:"|  @@ )"`
}

type conditionalTree struct {
	Pos      lexer.Position
	Left     operandTree  `parser:"@@"`
	Relation string       `parser:"( @('>' | '>=' | '<' | '<=' | '==' | '!=')"`
	Right    *operandTree `parser:"  @@ )?"`
}

type operandTree struct {
	Pos      lexer.Position
	Number   *numberTree   `parser:"  @@"`
	Quantity *quantityTree `parser:"| @@"`
}

type numberTree struct {
	Pos   lexer.Position
	Minus bool     `parser:"@'-'?"`
	Value string   `parser:"@Number"`
	Unit  []string `parser:"( (?! 'and' | 'or' ) @( Ident ( '/' Ident )? | '%' ) )?"`
}

// reader is a parser with its lexer.
type reader struct {
	tokens *lexer.StatefulDefinition
	parser *participle.Parser[statementTree]
}

func newReader() (*reader, error) {
	tokens, err := lexer.NewSimple([]lexer.SimpleRule{
		{Name: "Space", Pattern: `[\s]+|//[^\n]*|/\*[^*]*\*+([^/*][^*]*\*+)*/`},
		{Name: "Copy", Pattern: `#\d+(\.\d+)?`},
		{Name: "Hex", Pattern: `0[xX][0-9A-Fa-f]+`},
		{Name: "Number", Pattern: `(\d+\.\d+|\d+|\.\d+)([eE][-+]?\d+)?`},
		{Name: "Ident", Pattern: `[A-Za-z_µμ][A-Za-z_0-9]*`},
		{Name: "Operator", Pattern: `\.\.\.|->|=>|=<|>=|<=|==|!=|&&|\|\||[-&|^+!()<>=,:;.\[\]/%]`},
		{Name: "Other", Pattern: `.`},
	})
	if err != nil {
		return nil, err
	}
	parser, err := participle.Build[statementTree](participle.Lexer(tokens), participle.Elide("Space"),
		participle.UseLookahead(50))
	if err != nil {
		return nil, err
	}
	return &reader{tokens, parser}, nil
}

// isKeyword reports whether a word is a keyword, which cannot be a label.
func isKeyword(word string) bool {
	switch word {
	case "measure", "assert", "when", "at", "of", "and", "or", "not",
		"rate", "util", "occupancy", "latency", "backpressure", "value", "states",
		"min", "max", "mean", "sum", "hist", "trace":
		return true
	}
	return false
}
