// Calls to Pippin, and the verification of its tokens. See README.md.
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

var (
	privateKey  *ecdsa.PrivateKey
	client      = &http.Client{Timeout: 30 * time.Second}
	keys        = map[string]*rsa.PublicKey{}
	keysFetched time.Time
	keysLock    sync.Mutex
)

// answer is what Pippin's tokens and answers hold, and the `user` that comes once; each has some of it.
type answer struct {
	Iss, Aud, Sub, Nonce, Email, Error string
	Exp                                int64
	IDToken                            string `json:"id_token"`
	RefreshToken                       string `json:"refresh_token"`
	ReceiptURL                         string `json:"receipt_url"`
	User                               user
	Keys                               []struct{ Kid, N, E string }
}
type user struct {
	Name struct{ FirstName, LastName string }
}

// problem is why a request fails: a status, and a word that page.html and the apps have a sentence for. What fails
// panics with one, and serve answers it.
type problem struct {
	status int
	word   string
}

// trying gives the word of the problem that doing something ends with; none if all is well.
func trying(do func()) (word string) {
	defer func() {
		if failure := recover(); failure != nil {
			word = failure.(problem).word
		}
	}()
	do()
	return ""
}

func must(err error) {
	if err != nil {
		log.Print(err)
		panic(problem{503, "try_later"})
	}
}

// call asks Pippin. 400 is a refusal; any other failure is temporary.
func call(path, clientID string, form url.Values) answer {
	now := time.Now().Unix() // A secret is made anew for each call: then none is ever too old.
	claims := map[string]any{"iss": env("TEAM_ID", ""), "sub": clientID, "aud": baseURL, "iat": now, "exp": now + 300}
	text := encode(map[string]string{"alg": "ES256", "kid": env("KEY_ID", "")}) + "." + encode(claims)
	hash := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, privateKey, hash[:])
	must(err)
	// A JWT has the two numbers side by side (RFC 7518 section 3.4), not the usual DER.
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	form.Set("client_id", clientID)
	form.Set("client_secret", text+"."+base64.RawURLEncoding.EncodeToString(signature))
	response, err := client.PostForm(baseURL+"/auth/"+path, form)
	return read(response, err)
}

func read(response *http.Response, err error) (said answer) {
	must(err)
	defer response.Body.Close()
	err = json.NewDecoder(response.Body).Decode(&said) // A sign-out answers nothing.
	if response.StatusCode == 400 {
		panic(problem{400, said.Error})
	} else if response.StatusCode >= 300 || err != nil && response.ContentLength != 0 {
		panic(problem{503, "try_later"})
	}
	return said
}

// key finds a key by its kid. For an unknown one it fetches the set again, once a minute at most.
func key(kid string) *rsa.PublicKey {
	keysLock.Lock()
	defer keysLock.Unlock()
	if keys[kid] == nil && time.Since(keysFetched) > time.Minute {
		for _, one := range read(client.Get(baseURL + "/auth/keys")).Keys {
			e := new(big.Int).SetBytes(decode(one.E)).Int64()
			keys[one.Kid] = &rsa.PublicKey{N: new(big.Int).SetBytes(decode(one.N)), E: int(e)}
		}
		keysFetched = time.Now()
	}
	return keys[kid]
}

// verify gives the claims of an identity token that Pippin signed for this client and, by its nonce, this very sign-in;
// of an app's sign-in Pippin has checked the nonce, and it is "" here.
func verify(token, audience, nonce string) (claims answer) {
	var head struct{ Alg, Kid string }
	parts := strings.Split(token+"..", ".")
	hash := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if json.Unmarshal(decode(parts[0]), &head) != nil || head.Alg != "RS256" || key(head.Kid) == nil ||
		rsa.VerifyPKCS1v15(key(head.Kid), crypto.SHA256, hash[:], decode(parts[2])) != nil ||
		json.Unmarshal(decode(parts[1]), &claims) != nil || claims.Iss != baseURL || claims.Aud != audience ||
		claims.Sub == "" || claims.Exp <= time.Now().Unix() || nonce != "" && claims.Nonce != nonce {
		panic(problem{400, "bad_token"})
	}
	return claims
}

func encode(value any) string {
	text, err := json.Marshal(value)
	must(err)
	return base64.RawURLEncoding.EncodeToString(text)
}

func decode(text string) []byte {
	bytes, _ := base64.RawURLEncoding.DecodeString(text)
	return bytes // None, if it is no base64url: then nothing that is checked of it is right.
}

func readKey(file string) (*ecdsa.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not a PEM file")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if key, ok := key.(*ecdsa.PrivateKey); ok {
		return key, nil
	}
	return nil, fmt.Errorf("it holds no EC key: %w", err)
}
