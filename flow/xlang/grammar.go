package xlang

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// This file contains the grammar of the statements, in participle's notation. [outerGrammar] contains the statements of
// files and blocks.

// portsStmt declares ports: input FLOAT32[1000] x0, x1;
type portsStmt struct {
	Pos   lexer.Position
	Way   string     `parser:"@('input' | 'output')"`
	Type  typeRef    `parser:"@@"`
	Names []declared `parser:"@@ (',' @@)*"`
}

// typeRef is an element type: FLOAT32 or FLOAT32[1000].
type typeRef struct {
	Pos  lexer.Position
	Name string `parser:"@Ident"`
	Size *expr  `parser:"('[' @@ ']')?"`
}

// declared is a declared name, optionally an array: y[pipes].
type declared struct {
	Pos  lexer.Position
	Name string `parser:"@Ident"`
	Size *expr  `parser:"('[' @@ ']')?"`
}

// configStmt declares configs: config UNSIGNED16 freq=66, width;
type configStmt struct {
	Pos   lexer.Position
	Type  *typeRef    `parser:"'config' (@@ (?= Ident))?"`
	Items []configVar `parser:"@@ (',' @@)*"`
}

type configVar struct {
	Pos     lexer.Position
	Name    string `parser:"@Ident"`
	Default *value `parser:"('='? @@)?"`
}

// value is the value of a config or attribute: text or an expression.
type value struct {
	Pos  lexer.Position
	Text *string    `parser:"@String"`
	List *listValue `parser:"| @@"`
	Expr *expr      `parser:"| @@"`
}

// expr is a sum of terms. Division is exact.
type expr struct {
	Pos  lexer.Position
	Head term      `parser:"@@"`
	Tail []sumTerm `parser:"@@*"`
}

type sumTerm struct {
	Op   string `parser:"@('+' | '-')"`
	Term term   `parser:"@@"`
}

type term struct {
	Head factor      `parser:"@@"`
	Tail []mulFactor `parser:"@@*"`
}

type mulFactor struct {
	Op     string `parser:"@('*' | '/')"`
	Factor factor `parser:"@@"`
}

type factor struct {
	Pos      lexer.Position
	Negative bool    `parser:"@'-'?"`
	Number   *string `parser:"(  @Number"`
	Name     *string `parser:"| @Ident"`
	Sub      *expr   `parser:"| '(' @@ ')' )"`
}

// miscStmt contains statements about a block's code: misc { testpoint "src"; }
type miscStmt struct {
	Lines []miscLine `parser:"'misc' '{' @@* '}' ';'?"`
}

type miscLine struct {
	Pos  lexer.Position
	Name string   `parser:"@Ident"`
	Args []string `parser:"@(String | Number | Ident)* ';'"`
}

// joinStmt is a join statement: join x0, 2 x1;
type joinStmt struct {
	Pos   lexer.Position
	Items []joinItem `parser:"'join' @@ (',' @@)*"`
}

type joinItem struct {
	Pos   lexer.Position
	Count *string `parser:"@Number?"`
	Port  segment `parser:"@@"`
}

// emitStmt is an emit statement: emit 3 y, z;
type emitStmt struct {
	Pos   lexer.Position
	Items []joinItem `parser:"'emit' @@ (',' @@)*"`
}

// onceStmt is a once statement: once table;
type onceStmt struct {
	Pos   lexer.Position
	Ports []onceItem `parser:"'once' @@ (',' @@)*"`
}

type onceItem struct {
	Pos  lexer.Position
	Name string `parser:"@Ident"`
}

// statelessStmt is a stateless statement: stateless; or stateless by key x;
type statelessStmt struct {
	Pos lexer.Position
	Key *onceItem `parser:"'stateless' ('by' 'key' @@)?"`
}

// instanceStmt declares instances: GENERATE gen1, gen2; or Splitter split (pipes=pipes); or, with configs for each
// element, Band low[2] (hz=20), (hz=40);
type instanceStmt struct {
	Pos   lexer.Position
	Block string         `parser:"@Ident"`
	Names []instanceName `parser:"@@ (',' @@)*"`
}

type instanceName struct {
	Pos    lexer.Position
	Name   string     `parser:"@Ident"`
	Size   *expr      `parser:"('[' @@ ']')?"`
	Config []*setList `parser:"(@@ ((?= ',' ('(' | '{')) ',' @@)*)?"`
}

// setList assigns values to configs: (freq=3200, width=64), or the same in braces.
type setList struct {
	Pos  lexer.Position
	Sets []assign `parser:"('(' | '{') (@@ (',' @@)*)? (')' | '}')"`
}

type assign struct {
	Pos   lexer.Position
	Name  string `parser:"@Ident"`
	Value value  `parser:"'='? @@"`
}

// edgesStmt contains consecutive edges. The semicolons between them are optional, because the papers omit them.
type edgesStmt struct {
	Edges []edgeStmt `parser:"@@+"`
}

// edgeStmt declares edges: e1: gen1.y0 -> sum.x0; or, with initial elements, e2: sum.y -> gen1.x (initial=4);
type edgeStmt struct {
	Pos   lexer.Position
	Label string   `parser:"(@Ident ':')?"`
	From  ref      `parser:"@@"`
	To    ref      `parser:"'->' @@"`
	Set   *setList `parser:"@@?"`
}

// ref is a path that names an item: top.pipe[1..3].fft
type ref struct {
	Pos      lexer.Position
	Segments []segment `parser:"@@ ('.' @@)*"`
}

type segment struct {
	Pos   lexer.Position
	Name  string `parser:"(@Ident | @'*')"` // anyName for all names
	Index *index `parser:"('[' @@ ']')?"`
}

type index struct {
	All bool  `parser:"@'*'"`
	Lo  *expr `parser:"| @@"`
	Hi  *expr `parser:"('..' @@)?"`
}

// headStmt is the head of a block or a type.
type headStmt struct {
	Pos  lexer.Position
	Kind string `parser:"@('block' | 'platform' | 'linktype')"`
	Name string `parser:"@Ident"`
	Base string `parser:"(':' @Ident)?"`
}

// resourceStmt declares resources: resource proc[2] is C_Pentium4{ (freq=3200), (freq=2800) }; or without the braces.
type resourceStmt struct {
	Pos   lexer.Position
	Name  string         `parser:"'resource' @Ident"`
	Size  *expr          `parser:"('[' @@ ']')?"`
	Type  string         `parser:"'is' @Ident"`
	Items []resourceItem `parser:"(('(' | '{') (@@ (',' @@)*)? (')' | '}')"`
	More  []*setList     `parser:"(',' @@)*)?"`
}

type resourceItem struct {
	Pos       lexer.Position
	Endpoints *refList `parser:"@@"`
	List      *setList `parser:"| (?= '(') @@"`
	Set       *assign  `parser:"| @@"`
}

// refList is a list of references: { proc[1], fpga }
type refList struct {
	Pos  lexer.Position
	Refs []ref `parser:"'{' (@@ (',' @@)* ','?)? '}'"`
}

// thingList is a list of kernels and edges: { top.gen1, top.e1, top.gen1.y0 -> sum.x0 }
type thingList struct {
	Pos  lexer.Position
	Refs []thing `parser:"'{' (@@ (',' @@)* ','?)? '}'"`
}

// thing is a reference to kernels, to a labeled edge, or to an edge by its ends.
type thing struct {
	From ref    `parser:"@@"`
	To   *ref   `parser:"('->' @@"`
	Pick *index `parser:"('[' @@ ']')?)?"`
}

// useStmt is a use statement: use top (pipes=3);
type useStmt struct {
	Pos    lexer.Position
	Block  string   `parser:"'use' @Ident"`
	Config *setList `parser:"@@?"`
}

// implStmt is an impl statement: impl SUM (src="sum.c"); or impl SUM on proc[1] (mu="40MB/s");
type implStmt struct {
	Pos   lexer.Position
	Block ref      `parser:"'impl' @@"`
	On    *ref     `parser:"('on' @@)?"`
	Attrs *setList `parser:"@@?"`
}

// routeStmt is a route statement: route SUM.y0 = 0.25;
type routeStmt struct {
	Pos   lexer.Position
	Port  ref      `parser:"'route' @@"`
	Value expr     `parser:"'=' @@"`
	Attrs *setList `parser:"@@?"`
}

// mapStmt is a map, fix or forbid statement: map { top.gen1 } to proc[1]; or, with copies, map { top.fir } to 2 proc[1]
// & proc[2];
type mapStmt struct {
	Pos    lexer.Position
	Kind   string     `parser:"@('map' | 'fix' | 'forbid')"`
	What   thingList  `parser:"@@"`
	Turns  *string    `parser:"'to' @Number?"`
	To     []ref      `parser:"@@ (',' @@)*"`
	Copies []copyItem `parser:"('&' @@)*"`
}

// copyItem is the resource of another copy and its number of consecutive batches: 2 proc[1].
type copyItem struct {
	Pos   lexer.Position
	Turns *string `parser:"@Number?"`
	On    ref     `parser:"@@"`
}

// bufferStmt is a buffer statement: buffer { top.e1 } = 131;
type bufferStmt struct {
	Pos   lexer.Position
	What  *thingList `parser:"'buffer' ( @@"`
	One   *thing     `parser:"| @@ )"`
	Value value      `parser:"'=' @@"`
}

// groupStmt is a together or apart statement: together { top.fft, top.ifft };
type groupStmt struct {
	Pos  lexer.Position
	Kind string    `parser:"@('together' | 'apart')"`
	What thingList `parser:"@@"`
}

// parsers contains a parser for each kind of statement.
type parsers struct {
	ports    *participle.Parser[portsStmt]
	config   *participle.Parser[configStmt]
	misc     *participle.Parser[miscStmt]
	join     *participle.Parser[joinStmt]
	emit     *participle.Parser[emitStmt]
	once     *participle.Parser[onceStmt]
	state    *participle.Parser[statelessStmt]
	instance *participle.Parser[instanceStmt]
	edges    *participle.Parser[edgesStmt]
	head     *participle.Parser[headStmt]
	resource *participle.Parser[resourceStmt]
	use      *participle.Parser[useStmt]
	impl     *participle.Parser[implStmt]
	route    *participle.Parser[routeStmt]
	place    *participle.Parser[mapStmt]
	buffer   *participle.Parser[bufferStmt]
	group    *participle.Parser[groupStmt]
}

func buildParsers(lex lexer.Definition) (p parsers, err error) {
	b := builder{lex: lex}
	p.ports = build[portsStmt](&b)
	p.config = build[configStmt](&b)
	p.misc = build[miscStmt](&b)
	p.join = build[joinStmt](&b)
	p.emit = build[emitStmt](&b)
	p.once = build[onceStmt](&b)
	p.state = build[statelessStmt](&b)
	p.instance = build[instanceStmt](&b)
	p.edges = build[edgesStmt](&b)
	p.head = build[headStmt](&b)
	p.resource = build[resourceStmt](&b)
	p.use = build[useStmt](&b)
	p.impl = build[implStmt](&b)
	p.route = build[routeStmt](&b)
	p.place = build[mapStmt](&b)
	p.buffer = build[bufferStmt](&b)
	p.group = build[groupStmt](&b)
	return p, b.err
}

// lookahead is the number of tokens that a parser may read ahead to choose between alternatives. This number is
// sufficient for any type with its size.
const lookahead = 32

type builder struct {
	lex lexer.Definition
	err error
}

func build[G any](b *builder) *participle.Parser[G] {
	p, err := participle.Build[G](participle.Lexer(b.lex), participle.UseLookahead(lookahead))
	if err != nil && b.err == nil {
		b.err = err
	}
	return p
}

// outerGrammar is the grammar of the scanner, which separates statements before the parsers read them. A statement ends
// at a `;`, or at its closing `}`, which a `;` may follow.
const outerGrammar = `File = ( Include | Block | Type | ResourceStmt | UseStmt | ImplStmt | RouteStmt | MapStmt
     | BufferStmt | GroupStmt )* .
Include = "#include" ( <string> | <path> ) .
Block = "block" <ident> "{" ( PortsStmt | ConfigStmt | MiscStmt | JoinStmt | EmitStmt | OnceStmt
      | StatelessStmt | InstanceStmt | EdgesStmt )* "}" .
Type = ("platform" | "linktype") <ident> (":" <ident>)? ( "{" ( ConfigStmt | ImplStmt )* "}" )? .
`

// Grammar returns the grammar of the X language in EBNF, generated from the parsers, with one line per production.
// Statements are in the order of their parsers' declarations, and end with `;`, which is optional after `}`.
func Grammar() (string, error) {
	s, err := newSyntax()
	if err != nil {
		return "", err
	}
	p := &s.parsers
	var b strings.Builder
	b.WriteString(outerGrammar)
	written := make(map[string]bool)
	for _, ebnf := range []string{
		p.ports.String(), p.config.String(), p.misc.String(), p.join.String(), p.emit.String(),
		p.once.String(), p.state.String(), p.instance.String(), p.edges.String(), p.resource.String(),
		p.use.String(), p.impl.String(),
		p.route.String(), p.place.String(), p.buffer.String(), p.group.String(),
	} {
		for line := range strings.Lines(ebnf) {
			line = strings.TrimSpace(line)
			if name, _, ok := strings.Cut(line, " = "); ok && !written[name] {
				written[name] = true
				b.WriteString(line + "\n")
			}
		}
	}
	return b.String(), nil
}
