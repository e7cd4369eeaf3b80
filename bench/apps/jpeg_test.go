package apps_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// picture draws a test picture: 0 has color gradients, 1 sharp edges, 2 noise.
func picture(kind, width, height int) *image.RGBA {
	random := rand.New(rand.NewPCG(uint64(kind), uint64(width)))
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{uint8(255 * x / width), uint8(255 * y / height), uint8(128 + 100*math.Sin(float64(x+y)/15)),
				255}
			switch kind {
			case 1:
				c = color.RGBA{200, 30, 60, 255}
				if (x/7+y/5)%2 == 0 {
					c = color.RGBA{uint8(5 * (x % 50)), 240, 10, 255}
				}
			case 2:
				c = color.RGBA{uint8(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32()), 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

func ppm(m image.Image) []byte {
	b := m.Bounds()
	out := fmt.Appendf(nil, "P6\n# drawn\n%d %d\n255\n", b.Dx(), b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := m.At(x, y).RGBA()
			out = append(out, byte(r>>8), byte(g>>8), byte(bl>>8))
		}
	}
	return out
}

// parsePPM reads the output of djpeg.
func parsePPM(t *testing.T, data []byte) *image.RGBA {
	t.Helper()
	var w, h, maximum int
	if n, err := fmt.Sscanf(string(data[:min(len(data), 40)]), "P6\n%d %d\n%d\n", &w, &h, &maximum); n != 3 {
		t.Fatal(err)
	}
	pixels := data[len(data)-3*w*h:]
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.SetRGBA(i%w, i/w, color.RGBA{pixels[3*i], pixels[3*i+1], pixels[3*i+2], 255})
	}
	return m
}

// psnr compares the colours of two pictures, in dB.
func psnr(t *testing.T, a, b image.Image) float64 {
	t.Helper()
	if a.Bounds().Size() != b.Bounds().Size() {
		t.Fatalf("sizes %v and %v", a.Bounds(), b.Bounds())
	}
	sum := 0.0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			for _, d := range []float64{float64(r1>>8) - float64(r2>>8), float64(g1>>8) - float64(g2>>8),
				float64(b1>>8) - float64(b2>>8)} {
				sum += d * d
			}
		}
	}
	n := float64(3 * a.Bounds().Dx() * a.Bounds().Dy())
	return 10 * math.Log10(255*255/(sum/n+1e-9))
}

// command runs one of libjpeg's programs.
func command(t *testing.T, input []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(testkit.Tool(t, name, "libjpeg-turbo-progs"), args...)
	cmd.Stdin = bytes.NewReader(input)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil || failed.Len() > 0 {
		t.Fatalf("%s: %v: %s", name, err, failed.String())
	}
	return out
}

// TestJPEG decodes the output with two decoders, and compares its quality with libjpeg's own encoder.
func TestJPEG(t *testing.T) {
	for _, c := range []struct{ kind, width, height, quality int }{
		{0, 192, 128, 75}, {1, 61, 35, 25}, {2, 64, 48, 90}, {0, 200, 9, 50}, {1, 1, 1, 75}, {0, 40, 40, 95},
		{2, 17, 100, 10},
	} {
		t.Run(fmt.Sprintf("%d of %dx%d at %d", c.kind, c.width, c.height, c.quality), func(t *testing.T) {
			t.Parallel()
			source := picture(c.kind, c.width, c.height)
			path := filepath.Join(t.TempDir(), "in.ppm")
			if err := os.WriteFile(path, ppm(source), 0o644); err != nil {
				t.Fatal(err)
			}
			quality := fmt.Sprint(c.quality)
			app := apptest.App{Dir: "jpeg", Set: map[string]string{"top.quality": quality}, Input: path}
			out, _ := app.Deploy(t, oneCore, program.Options{})
			decoded, err := jpeg.Decode(bytes.NewReader(out))
			if err != nil {
				t.Fatal(err)
			}
			if decoded.Bounds().Dx() != c.width || decoded.Bounds().Dy() != c.height {
				t.Fatalf("decoded as %v", decoded.Bounds())
			}
			ours := psnr(t, source, parsePPM(t, command(t, out, "djpeg")))
			reference := command(t, ppm(source), "cjpeg", "-baseline", "-quality", quality, "-sample", "1x1")
			theirs := psnr(t, source, parsePPM(t, command(t, reference, "djpeg")))
			if math.Abs(ours-theirs) > 0.3 {
				t.Errorf("PSNR %.2f dB, libjpeg's is %.2f dB", ours, theirs)
			}
			if again := psnr(t, decoded, parsePPM(t, command(t, out, "djpeg"))); again < 35 {
				t.Errorf("the decoders differ by %.1f dB", again)
			}
		})
	}
}

// TestJPEGMappings checks that every mapping gives the same bytes, also for a stream of several pictures.
func TestJPEGMappings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "in.ppm")
	if err := os.WriteFile(path, ppm(picture(0, 101, 67)), 0o644); err != nil {
		t.Fatal(err)
	}
	app := apptest.App{Dir: "jpeg", Input: path}
	one, _ := app.Deploy(t, oneCore, program.Options{})
	app.Elements = 3
	app.Agree(t, 6, bytes.Repeat(one, 3))
}

// TestJPEGBadInput checks that errors explain the correction.
func TestJPEGBadInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ data, want string }{
		{"GIF89a", "is not a PPM file in P6 format (convert it, for example with pngtopnm or djpeg -ppm)"},
		{"P6\n4 4\n65535\n", "has samples up to 65535, expected 255 (8 bits)"},
		{"P6\n4 4\n255\nabc", "ends after 3 of 48 bytes"},
		{"P6\n4 x", "the header is damaged, expected P6, width, height, 255"},
		{"P6\n70000 4\n255\n", "the picture is 70000 by 4 pixels, expected 1 to 65500 each"},
		{"P6\n0 4\n255\n", "the picture is 0 by 4 pixels"},
		{"P6\n99999999999 4\n255\n", "a number in the header is too large"},
		{"", "is not a PPM file"},
	} {
		path := filepath.Join(t.TempDir(), "in.ppm")
		if err := os.WriteFile(path, []byte(c.data), 0o644); err != nil {
			t.Fatal(err)
		}
		if f := (apptest.App{Dir: "jpeg", Input: path}).Fail(t, oneCore); f == nil || f.Kernel != "top.read" ||
			!strings.Contains(f.Text, c.want) {
			t.Errorf("%q gives %v, want %s", c.data, f, c.want)
		}
	}
}
