// The app around the iOS sample: starts, does what its arguments say, and prints who is signed in.

import AuthenticationServices

@MainActor func run() async {
    let words = CommandLine.arguments.dropFirst()
    guard let server = words.first.flatMap({ URL(string: $0) }) else { return print("no server") }
    let account = Account(server: server)
    await account.launch()
    for word in words.dropFirst() {
        do {
            switch word {
            case "sign-in": try await account.signIn()
            case "sign-out": await account.signOut()
            case "delete": print("receipt", try await account.deleteAccount()?.absoluteString ?? "none")
            default: print("unknown", word)
            }
        } catch { print("failed", error) }
    }
    if let person = account.person {
        print("person", person.firstName ?? "-", person.lastName ?? "-", person.email ?? "-")
    } else {
        print("nobody")
    }
}

await run()
