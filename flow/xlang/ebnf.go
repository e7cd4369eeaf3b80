package xlang

import (
	"strings"
)

// outerGrammar is what the scanner reads before the statements have parsers of their own: a statement
// is what stands before a `;` or up to its closing `}`; both may follow each other.
const outerGrammar = `File = ( Include | Block | Type | ResourceStmt | UseStmt | ImplStmt | RouteStmt | MapStmt
     | BufferStmt | GroupStmt )* .
Include = "#include" ( <string> | <path> ) .
Block = "block" <ident> "{" ( PortsStmt | ConfigStmt | MiscStmt | JoinStmt | EmitStmt | OnceStmt
      | StatelessStmt | InstanceStmt | EdgesStmt )* "}" .
Type = ("platform" | "linktype") <ident> (":" <ident>)? ( "{" ( ConfigStmt | ImplStmt )* "}" )? .
`

// Grammar returns the grammar of the X language in EBNF, made from the parsers themselves: a line for
// each production, with the statements in the order in which the parsers are declared. Statements
// end with `;`, which may be left out after `}`.
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
