import Accounts
import Crypto
import Testing

/// Registry files outlive databases: what a former release exported is how its teams come to this one.
@Suite struct FormerFileTests {
    @Test(.installation) func `what 0.2 exported is applied, and applied again changes nothing`() async throws {
        let key = P256SigningKey.generate()
        let file = try RegistryFile(parsing: Array(Self.exported.utf8)) { name in
            #expect(name == "AuthKey_APPLEKEY01.p8")
            return Array(key.pem.utf8)
        }
        let report = try await pippin.provisioner.apply(file)

        #expect(report.outcome == .applied && report.teams.first?.lines.count == 13)
        #expect(try await pippin.provisioner.apply(file).outcome == .unchanged)
    }

    /// Written by `pippin export` of 0.2.0, in fewer lines.
    private static let exported = #"""
        {
          "teams": [
            {
              "appIDs": [
                {
                  "apple": {
                    "keyID": "APPLEKEY01",
                    "privateKeyFile": "AuthKey_APPLEKEY01.p8",
                    "servicesID": "com.orchard.siwa",
                    "teamID": "APPLETEAM1"
                  },
                  "description": "Orchard",
                  "identifier": "com.orchard.app",
                  "notificationURL": "http://127.0.0.1:9000/notices",
                  "serviceIDs": [
                    {
                      "booleans": "string",
                      "description": "Orchard Web",
                      "domains": ["127.0.0.1", "localhost"],
                      "identifier": "com.orchard.web",
                      "issuer": "apple",
                      "requirePKCE": true,
                      "returnURLs": ["http://127.0.0.1:9000/callback", "http://localhost:9000/callback"]
                    },
                    {
                      "booleans": "json",
                      "description": "Orchard Shop",
                      "domains": ["127.0.0.1"],
                      "identifier": "com.orchard.shop",
                      "issuer": "own",
                      "requirePKCE": false,
                      "returnURLs": ["http://127.0.0.1:9001/back"]
                    }
                  ],
                  "signIn": true
                },
                {
                  "description": "Clip",
                  "identifier": "com.orchard.app.clip",
                  "primary": "com.orchard.app",
                  "serviceIDs": [],
                  "signIn": true
                },
                {"description": "Old", "identifier": "com.orchard.old", "serviceIDs": [], "signIn": false}
              ],
              "emailSources": [
                {"address": "news@orchard.example", "selectors": []},
                {"domain": "orchard.example", "selectors": ["s1", "s2"]}
              ],
              "id": "ORCHARD001",
              "identitySources": ["directory", "apple"],
              "keys": [
                {
                  "appID": "com.orchard.app",
                  "id": "ORCHARDK01",
                  "name": "CI",
                  "publicKeyPEM": "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEA8pjKG4b3zYXrRp/oUEyGSe7DOP0\nxa1zQIbqnq81dNWdDSLEaYHZ+g8FDEvCHBA3RNa4kuGh7vuPIsC5eaXMig==\n-----END PUBLIC KEY-----\n"
                }
              ],
              "mode": "sandbox",
              "name": "Orchard",
              "secondFactor": "required",
              "users": [
                {"email": "ada@orchard.example", "familyName": "Lovelace", "givenName": "Ada"},
                {"email": "ben@orchard.example", "familyName": "", "givenName": ""}
              ]
            }
          ]
        }
        """#
}
