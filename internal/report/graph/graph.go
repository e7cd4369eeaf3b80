// Package graph lays drawings out and renders them, by Graphviz as WebAssembly: nothing has
// to be installed.
package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/goccy/go-graphviz"
)

// SVG renders a drawing in Graphviz's language as SVG.
func SVG(ctx context.Context, dot string) (string, error) {
	b, err := render(ctx, dot, graphviz.SVG)
	return string(b), err
}

// PNG renders it as PNG.
func PNG(ctx context.Context, dot string) ([]byte, error) { return render(ctx, dot, graphviz.PNG) }

func render(ctx context.Context, dot string, format graphviz.Format) (_ []byte, err error) {
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("drawing: %w", err)
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	drawing, err := graphviz.ParseBytes([]byte(dot))
	if err != nil {
		return nil, fmt.Errorf("drawing: %w", err)
	}
	defer func() { err = errors.Join(err, drawing.Close()) }()
	var out bytes.Buffer
	if err := g.Render(ctx, drawing, format, &out); err != nil {
		return nil, fmt.Errorf("drawing: %w", err)
	}
	return out.Bytes(), nil
}
