// What the backend stores, in one file that is never half-written. See README.md.
package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"os"
	"sync"
	"time"
)

var dataFile = env("DATA_FILE", "people.json")

// Users by `sub`, and sessions by the hash of their id, so that a copy of the file signs no one in.
var data = struct {
	People   map[string]map[string]string `json:"people"`
	Sessions map[string]session           `json:"sessions"`
}{map[string]map[string]string{}, map[string]session{}}

var lock sync.Mutex

type session struct {
	Sub          string `json:"sub"`
	ClientID     string `json:"client_id"`
	RefreshToken string `json:"refresh_token"`
	Checked      int64  `json:"checked"`
	Ended        bool   `json:"ended"`
}

// change makes one change at a time. The file is on disk when it returns.
func change(apply func()) {
	lock.Lock()
	defer lock.Unlock()
	apply()
	text, _ := json.MarshalIndent(data, "", " ") // It holds nothing that could not be JSON.
	file, err := os.OpenFile(dataFile+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	must(err)
	defer file.Close()
	_, err = file.Write(text)
	must(err)
	must(file.Sync())
	must(os.Rename(dataFile+".new", dataFile))
}

// remember stores a user and, in the same write, the name that comes once in the life of an account.
func remember(claims answer, user user) {
	// The key is `sub`, never the email address: it may be a relay's, it changes, and two people may share one. It is
	// taken from the signed claims. The name is not signed: display it, never decide by it.
	change(func() {
		if data.People[claims.Sub] == nil {
			data.People[claims.Sub] = map[string]string{}
		}
		said := map[string]string{"first_name": user.Name.FirstName, "last_name": user.Name.LastName, "email": claims.Email}
		for field, value := range said {
			if value != "" {
				data.People[claims.Sub][field] = fmt.Sprintf("%.254s", value)
			}
		}
	})
}

// begin makes our own session, as long as we like, with Pippin's refresh token beside it.
func begin(claims answer, clientID, refreshToken, challenge string) string {
	id := random()
	change(func() {
		data.Sessions[digest(id+challenge)] = session{claims.Sub, clientID, refreshToken, time.Now().Unix(), false}
	})
	return id
}

// sessions gives them all as they are now.
func sessions() map[string]session {
	lock.Lock()
	defer lock.Unlock()
	all := map[string]session{}
	for key, one := range data.Sessions {
		all[key] = one
	}
	return all
}

// recall gives what is known of a person, with their sub.
func recall(sub string) map[string]string {
	lock.Lock()
	defer lock.Unlock()
	person := map[string]string{"sub": sub}
	for field, value := range data.People[sub] {
		person[field] = value
	}
	return person
}

func load() {
	text, err := os.ReadFile(dataFile)
	if os.IsNotExist(err) {
		return
	}
	if err == nil {
		err = json.Unmarshal(text, &data)
	}
	if err != nil {
		quit("DATA_FILE cannot be read: " + err.Error())
	}
}

// check asks Pippin, once a day, whether the user still uses this app.
func check(key string, one session) {
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {one.RefreshToken}}
	switch trying(func() { call("token", one.ClientID, form) }) {
	case "":
		change(func() {
			if now, isThere := data.Sessions[key]; isThere { // It may have ended meanwhile.
				now.Checked = time.Now().Unix()
				data.Sessions[key] = now
			}
		})
	case "invalid_grant": // Other failures do not sign the user out.
		change(func() { delete(data.Sessions, key) })
		panic(problem{401, "signed_out"})
	}
}

// finishSignOuts makes one call per token. A call that fails is repeated at the next sign-out and the next start.
func finishSignOuts() {
	for key, one := range sessions() {
		if !one.Ended {
			continue
		}
		form := url.Values{"sub": {one.Sub}, "refresh_token": {one.RefreshToken}}
		if word := trying(func() { call("sign-out", one.ClientID, form) }); word == "" {
			change(func() { delete(data.Sessions, key) })
		} else {
			log.Print("A sign-out waits: ", word)
		}
	}
}

func random() string {
	bytes := make([]byte, 32)
	_, err := rand.Read(bytes)
	must(err)
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func digest(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}
