package profile

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// notFinite is the path in the file of the first number that JSON has no word for, NaN or an infinity; "" for none.
func notFinite(v reflect.Value, path string) string {
	switch v.Kind() {
	case reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return path
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return notFinite(v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !field.IsExported() || name == "-" {
				continue
			}
			if at := notFinite(v.Field(i), joined(path, name)); at != "" {
				return at
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if at := notFinite(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); at != "" {
				return at
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if at := notFinite(v.MapIndex(key), joined(path, fmt.Sprint(key))); at != "" {
				return at
			}
		}
	}
	return ""
}

// joined is a name within what a path names; an embedded struct has no name of its own.
func joined(path, name string) string {
	switch {
	case name == "":
		return path
	case path == "":
		return name
	}
	return path + "." + name
}
