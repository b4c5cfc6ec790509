// A backend that signs people in through Pippin, in Go 1.19 with its standard library. See README.md.
package main

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const needed = `BASE_URL: your team's base at Pippin, such as https://id.example.com/t/ACMETEAM01
TEAM_ID: your Team ID at Pippin
CLIENT_ID: the identifier of a Service ID
KEY_ID: the Key ID of a key that Pippin issued
KEY_FILE: the path of its file, AuthKey_<KEY_ID>.p8
ORIGIN: where people reach this server; ORIGIN/callback is a return URL of the Service ID`

var (
	baseURL, clientID, origin = env("BASE_URL", ""), env("CLIENT_ID", ""), env("ORIGIN", "")
	bundleID                  = env("BUNDLE_ID", "")
	page                      []byte
	checkSeconds, _           = strconv.ParseInt(env("CHECK_SECONDS", "86400"), 10, 64)
)

// visit is a request, with its form and cookies, and with what its browser began: the state and the nonce that went along
// to Pippin, and the challenge of an Android app.
type visit struct {
	w http.ResponseWriter
	*http.Request
	state, nonce, challenge string
}

func (v visit) signIn() {
	state, nonce := random(), random()
	query := url.Values{
		"client_id": {clientID}, "redirect_uri": {origin + "/callback"}, "response_type": {"code id_token"},
		"response_mode": {"form_post"}, "scope": {"name email"}, "state": {state}, "nonce": {nonce}}
	// The answer is a POST from another site: browsers add no cookie to it but one that is SameSite=None.
	v.cookie("attempt", state+"."+nonce+"."+url.QueryEscape(v.FormValue("challenge")), 1800, http.SameSiteNoneMode)
	v.redirect(baseURL + "/auth/authorize?" + query.Encode())
}

func (v visit) callback() {
	// Else a link could sign people in as its sender. Constant time: no value is found letter by letter.
	if v.state == "" || v.nonce == "" || subtle.ConstantTimeCompare([]byte(v.FormValue("state")), []byte(v.state)) != 1 {
		panic(problem{403, "other_browser"})
	}
	if word := v.FormValue("error"); word != "" {
		panic(problem{400, word})
	}
	claims := verify(v.FormValue("id_token"), clientID, v.nonce)
	var user user
	_ = json.Unmarshal([]byte(v.FormValue("user")), &user)
	// Before the code is spent, which can fail: the name does not come again.
	remember(claims, user)
	tokens := call("token", clientID, url.Values{
		"grant_type": {"authorization_code"}, "code": {v.FormValue("code")}, "redirect_uri": {origin + "/callback"}})
	if verify(tokens.IDToken, clientID, v.nonce).Sub != claims.Sub {
		panic(problem{400, "bad_token"})
	}
	session := begin(claims, clientID, tokens.RefreshToken, v.challenge)
	// An app's session goes through the page and opens nothing without the app's secret; a browser's is a cookie.
	if v.challenge != "" {
		v.redirect("/?session=" + session)
		return
	}
	v.cookie("session", session, 31_536_000, http.SameSiteLaxMode)
	v.redirect("/")
}

// native takes what Apple's own sheet gave an iOS app, which keeps the name until this has answered 200.
func (v visit) native() {
	_ = v.ParseForm()
	tokens := call("native", bundleID, v.PostForm)
	claims := verify(tokens.IDToken, bundleID, "")
	remember(claims, tokens.User)
	v.send(200, map[string]string{"session": begin(claims, bundleID, tokens.RefreshToken, "")})
}

// session is the one of the request: a cookie from a browser, a Bearer token from an app (with its secret on Android).
func (v visit) session() (string, session) {
	token := strings.TrimPrefix(v.Header.Get("Authorization"), "Bearer ")
	if cookie, err := v.Cookie("session"); token == "" && err == nil {
		token = cookie.Value
	}
	id, secret, _ := strings.Cut(token, ".")
	if secret != "" {
		id += digest(secret)
	}
	key := digest(id)
	found, ok := sessions()[key]
	if !ok || found.Ended {
		panic(problem{401, "signed_out"})
	}
	if time.Now().Unix()-found.Checked >= checkSeconds {
		check(key, found)
	}
	return key, found
}

func (v visit) me() {
	_, session := v.session()
	v.send(200, recall(session.Sub))
}

// signOut ends the session here at once, whatever Pippin answers; with `everywhere`, the user's other sessions too.
func (v visit) signOut() {
	key, session := v.session()
	change(func() {
		for other, one := range data.Sessions {
			one.Ended = one.Ended || other == key || v.FormValue("everywhere") != "" && one.Sub == session.Sub
			data.Sessions[other] = one
		}
	})
	finishSignOuts()
	v.cookie("session", "", -1, http.SameSiteLaxMode)
	v.send(200, map[string]string{})
}

// deleteAccount asks Pippin first: it revokes every token, Apple's too, and answers a repeat with the same receipt.
func (v visit) deleteAccount() {
	_, session := v.session()
	var receipt answer
	word := trying(func() { receipt = call("delete-account", session.ClientID, url.Values{"sub": {session.Sub}}) })
	// Of invalid_request: Pippin does not know them any more, since they stopped using the app.
	if word != "" && word != "invalid_request" {
		panic(problem{503, "try_later"})
	}
	change(func() {
		delete(data.People, session.Sub)
		for key, one := range data.Sessions {
			if one.Sub == session.Sub {
				delete(data.Sessions, key)
			}
		}
	})
	v.cookie("session", "", -1, http.SameSiteLaxMode)
	v.send(200, map[string]string{"receipt_url": receipt.ReceiptURL})
}

// With Lax, no form on another site can sign a user out or delete an account.
func (v visit) cookie(name, value string, age int, sameSite http.SameSite) {
	http.SetCookie(v.w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: true, SameSite: sameSite})
}

func (v visit) redirect(location string) {
	v.w.Header().Set("Location", location)
	v.w.WriteHeader(http.StatusSeeOther)
}

func (v visit) send(status int, value any) {
	v.w.Header().Set("Content-Type", "application/json")
	v.w.WriteHeader(status)
	_ = json.NewEncoder(v.w).Encode(value)
}

var routes = map[string]func(visit){
	"GET /":                func(v visit) { _, _ = v.w.Write(page) },
	"GET /sign-in":         visit.signIn,
	"POST /callback":       visit.callback,
	"POST /native":         visit.native,
	"GET /me":              visit.me,
	"POST /sign-out":       visit.signOut,
	"POST /delete-account": visit.deleteAccount,
}

func serve(w http.ResponseWriter, request *http.Request) {
	request.Body = http.MaxBytesReader(w, request.Body, 65_536)
	w.Header().Set("Cache-Control", "no-store")
	v := visit{w: w, Request: request}
	if attempt, err := request.Cookie("attempt"); err == nil {
		parts := strings.Split(attempt.Value+"..", ".")
		v.state, v.nonce, v.challenge = parts[0], parts[1], parts[2]
	}
	defer func() {
		failure := recover()
		if failure == nil {
			return
		}
		found, ok := failure.(problem)
		if !ok {
			panic(failure)
		} else if request.URL.Path == "/callback" {
			v.redirect("/?error=" + url.QueryEscape(found.word))
		} else {
			v.send(found.status, map[string]string{"error": found.word})
		}
	}()
	handle, ok := routes[request.Method+" "+request.URL.Path]
	if !ok {
		panic(problem{404, "not_found"})
	}
	handle(v)
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	missing := ""
	for _, line := range strings.Split(needed, "\n") {
		if name, _, _ := strings.Cut(line, ":"); os.Getenv(name) == "" {
			missing += "\n  " + line
		}
	}
	if missing != "" {
		quit("Set these environment variables:" + missing)
	}
	var err error
	if privateKey, err = readKey(os.Getenv("KEY_FILE")); err == nil {
		page, err = os.ReadFile("../page.html")
	}
	if err != nil {
		quit(fmt.Sprintf("Cannot read KEY_FILE, %s, or page.html: %v", os.Getenv("KEY_FILE"), err))
	}
	load()
	finishSignOuts()
	address := "127.0.0.1:" + env("PORT", "9000")
	log.Printf("Listening on http://%s for %s", address, origin)
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(serve)))
}

func quit(reason string) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(1)
}
