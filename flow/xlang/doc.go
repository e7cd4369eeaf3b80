// Package xlang reads the X language: applications, architectures, mappings,
// figures and constraints, as Gayen 2008 §2.1-2.2 and Lancaster 2011 §2.3 print
// it, with what those leave open fixed by this package.
//
// It stands first in the data's way: files go in, a [Program] with every name
// checked, every config resolved and every hierarchical block flattened comes
// out. What the numbers in it mean is for package design.
//
// A file is read in three steps. The lexer cuts it into tokens; the tokens are
// cut into statements, at semicolons and closing braces, so that one bad
// statement spoils no other; each statement is parsed by a participle grammar
// (grammar.go, which is the reference of the syntax). The declarations of all
// files are then elaborated together. Every mistake found on the way is kept,
// with its place, as a [Diagnostic].
package xlang
