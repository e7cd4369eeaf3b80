package apps_test

import (
	"bytes"
	"context"
	"crypto/des"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/deploy/run"
)

const desKey = "133457799BBCDFF1"

// plain writes n random blocks to a file.
func plain(t *testing.T, n int) (path string, data []byte) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	data = make([]byte, 8*n)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return write(t, data), data
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const oneCore = "map { top } to proc[1];"

// TestDES compares both implementations of DES with crypto/des, in random mappings.
func TestDES(t *testing.T) {
	t.Parallel()
	path, data := plain(t, 2000)
	cipher, err := des.NewCipher(unhex(t, desKey))
	if err != nil {
		t.Fatal(err)
	}
	encrypted, decrypted := make([]byte, len(data)), make([]byte, len(data))
	for i := 0; i < len(data); i += 8 {
		cipher.Encrypt(encrypted[i:], data[i:])
		cipher.Decrypt(decrypted[i:], data[i:])
	}
	app := apptest.App{Dir: "des", Set: map[string]string{"top.key": desKey}, Input: path}
	app.Agree(t, 4, encrypted)
	app.Set["top.decrypt"] = "1"
	got, _ := app.Deploy(t, oneCore, program.Options{})
	if !bytes.Equal(got, decrypted) {
		t.Error("decryption differs")
	}
}

// TestTripleDES compares triple DES with crypto/des.
func TestTripleDES(t *testing.T) {
	t.Parallel()
	blocks := 500
	if testing.Short() {
		blocks = 100 // 60 processes wait for each other, some with spinning
	}
	path, data := plain(t, blocks)
	cipher, err := des.NewTripleDESCipher(unhex(t, "0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123"))
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, len(data))
	for i := 0; i < len(data); i += 8 {
		cipher.Encrypt(want[i:], data[i:])
	}
	apptest.App{Dir: "des", Files: []string{"app3.x", "arch.x"}, Input: path}.Agree(t, 2, want)
}

// variablePlaintext is Table A.1 of NIST SP 800-17: the ciphertexts of the blocks
// with one bit set, from the highest on, with the key 0101010101010101.
const variablePlaintext = `
95F8A5E5DD31D900 DD7F121CA5015619 2E8653104F3834EA 4BD388FF6CD81D4F
20B9E767B2FB1456 55579380D77138EF 6CC5DEFAAF04512F 0D9F279BA5D87260
D9031B0271BD5A0A 424250B37C3DD951 B8061B7ECD9A21E5 F15D0F286B65BD28
ADD0CC8D6E5DEBA1 E6D5F82752AD63D1 ECBFE3BD3F591A5E F356834379D165CD
2B9F982F20037FA9 889DE068A16F0BE6 E19E275D846A1298 329A8ED523D71AEC
E7FCE22557D23C97 12A9F5817FF2D65D A484C3AD38DC9C19 FBE00A8A1EF8AD72
750D079407521363 64FEED9C724C2FAF F02B263B328E2B60 9D64555A9A10B852
D106FF0BED5255D7 E1652C6B138C64A5 E428581186EC8F46 AEB5F5EDE22D1A36
E943D7568AEC0C5C DF98C8276F54B04B B160E4680F6C696F FA0752B07D9C4AB8
CA3A2B036DBC8502 5E0905517BB59BCF 814EEB3B91D90726 4D49DB1532919C9F
25EB5FC3F8CF0621 AB6A20C0620D1C6F 79E90DBC98F92CCA 866ECEDD8072BB0E
8B54536F2F3E64A8 EA51D3975595B86B CAFFC6AC4542DE31 8DD45A2DDF90796C
1029D55E880EC2D0 5D86CB23639DBEA9 1D1CA853AE7C0C5F CE332329248F3228
8405D1ABE24FB942 E643D78090CA4207 48221B9937748A23 DD7C0BBD61FAFD54
2FBC291A570DB5C4 E07C30D7E4E26E12 0953E2258E8E90A1 5B711BC4CEEBF2EE
CC083F1E6D9E85F6 D2FD8867D50D2DFE 06E7EA22CE92708F 166B40B44ABA4BD6`

// TestDESVariablePlaintext encrypts the known answers as one stream.
func TestDESVariablePlaintext(t *testing.T) {
	answers := strings.Fields(variablePlaintext)
	if len(answers) != 64 {
		t.Fatalf("%d answers", len(answers))
	}
	blocks := make([]byte, 64*8)
	for i := range 64 {
		blocks[8*i+i/8] = 0x80 >> (i % 8)
	}
	app := apptest.App{Dir: "des", Set: map[string]string{"top.key": "0101010101010101"}, Input: write(t, blocks)}
	got, _ := app.Deploy(t, oneCore, program.Options{})
	if want := unhex(t, strings.Join(answers, "")); !bytes.Equal(got, want) {
		t.Errorf("got %X, want %X", got, want)
	}
}

// substitution is Table A.4 of NIST SP 800-17: keys, plaintexts and ciphertexts
// that use every entry of the substitution tables.
const substitution = `7CA110454A1A6E57 01A1D6D039776742 690F5B0D9A26939B
0131D9619DC1376E 5CD54CA83DEF57DA 7A389D10354BD271
07A1133E4A0B2686 0248D43806F67172 868EBB51CAB4599A
3849674C2602319E 51454B582DDF440A 7178876E01F19B2A
04B915BA43FEB5B6 42FD443059577FA2 AF37FB421F8C4095
0113B970FD34F2CE 059B5E0851CF143A 86A560F10EC6D85B
0170F175468FB5E6 0756D8E0774761D2 0CD3DA020021DC09
43297FAD38E373FE 762514B829BF486A EA676B2CB7DB2B7A
07A7137045DA2A16 3BDD119049372802 DFD64A815CAF1A0F
04689104C2FD3B2F 26955F6835AF609A 5C513C9C4886C088
37D06BB516CB7546 164D5E404F275232 0A2AEEAE3FF4AB77
1F08260D1AC2465E 6B056E18759F5CCA EF1BF03E5DFA575A
584023641ABA6176 004BD6EF09176062 88BF0DB6D70DEE56
025816164629B007 480D39006EE762F2 A1F9915541020B56
49793EBC79B3258F 437540C8698F3CFA 6FBF1CAFCFFD0556
4FB05E1515AB73A7 072D43A077075292 2F22E49BAB7CA1AC
49E95D6D4CA229BF 02FE55778117F12A 5A6B612CC26CCE4A
018310DC409B26D6 1D9D5C5018F728C2 5F4C038ED12B2E41
1C587F1C13924FEF 305532286D6F295A 63FAC0D034D9F793`

// TestDESSubstitution encrypts the known answers in one application with a DES for each.
func TestDESSubstitution(t *testing.T) {
	dir := t.TempDir()
	here, err := filepath.Abs("des")
	if err != nil {
		t.Fatal(err)
	}
	var x strings.Builder
	fmt.Fprintf(&x, "#include \"%s\"\n#include \"%s\"\nblock top {\n", filepath.Join(here, "des.x"),
		filepath.Join(here, "arch.x"))
	lines := strings.Split(substitution, "\n")
	for i, line := range lines {
		f := strings.Fields(line)
		in := filepath.Join(dir, fmt.Sprint("in", i))
		if err := os.WriteFile(in, unhex(t, f[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&x, "Blocks b%[1]d (input=%[2]q); DES d%[1]d (key=%[3]q); Store s%[1]d (output=%[4]q);\n"+
			"p%[1]d: b%[1]d.y -> d%[1]d.x; c%[1]d: d%[1]d.y -> s%[1]d.x;\n",
			i, in, f[0], filepath.Join(dir, fmt.Sprint("out", i)))
	}
	x.WriteString("};\nuse top;\nmap { top } to proc[1];\n")
	path := filepath.Join(dir, "all.x")
	if err := os.WriteFile(path, []byte(x.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	d := apptest.App{Dir: dir, Files: []string{"all.x"}}.Load(t, "")
	prog, err := program.New(context.Background(), d, program.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Once(context.Background(), prog, run.Options{})
	if rerr := prog.Remove(); rerr != nil {
		t.Error(rerr)
	}
	if err != nil || m.Failure != nil {
		t.Fatal(err, m.Failure)
	}
	for i, line := range lines {
		got, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("out", i)))
		if want := unhex(t, strings.Fields(line)[2]); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d: got %X, want %X (%v)", i, got, want, err)
		}
	}
}

// TestDESBadInput checks that errors explain the correction.
func TestDESBadInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set, input string
		data       []byte
		want       string
	}{
		{"", "", []byte("123456789"), "ends with a block of 1 bytes, expected complete blocks of 8 (pad the file)"},
		{"", "/nonexistent/file", nil, "cannot read /nonexistent/file: No such file or directory"},
		{"12345", "", nil, `the key "12345" has 5 digits, expected 16 hexadecimal digits`},
		{"0123456789ABCDEG", "", nil, "'G' in the key is not a hexadecimal digit"},
	} {
		app := apptest.App{Dir: "des", Input: c.input}
		if c.set != "" {
			app.Set = map[string]string{"top.key": c.set}
		}
		if c.data != nil {
			app.Input = write(t, c.data)
		}
		if f := app.Fail(t, oneCore); f == nil || f.Kind != "failed" || !strings.Contains(f.Text, c.want) {
			t.Errorf("got %v, want %s", f, c.want)
		}
	}
	empty := apptest.App{Dir: "des", Input: write(t, nil)}
	if got, _ := empty.Deploy(t, oneCore, program.Options{}); len(got) != 0 {
		t.Errorf("nothing gives %d bytes", len(got))
	}
}
