import Testing

@testable import Directory
@testable import Federation

@Suite struct `A name that a provider or an app tells once` {
    @Test func `keeps its middle part with the given name`() {
        let form = UpstreamForm(#"{"name":{"firstName":"Ada","middleName":"King","lastName":"Lovelace"}}"#)
        #expect(form?.givenName == "Ada King" && form?.familyName == "Lovelace")
        let middle = UpstreamForm(#"{"name":{"firstName":"","middleName":"King","lastName":null}}"#)
        #expect(middle?.givenName == "King" && middle?.familyName == "")
    }

    @Test(arguments: ["undefined", "null", "(null)", "<null>", "nil", "None", "NaN", "[object Object]", ""])
    func `is none where a program sent a word for what is absent`(word: String) {
        let web = UpstreamForm(
            #"{"name":{"firstName":"\#(word)","middleName":"\#(word)","lastName":"\#(word)"},"email":"\#(word)"}"#)
        let native = UpstreamForm(givenName: word, middleName: word, familyName: word, email: word, from: .app)
        for form in [web, native] { #expect(form?.givenName == "" && form?.familyName == "" && form?.email == nil) }
    }

    @Test(arguments: ["Null", "Nil", "Undefined", "none"]) func `is that of people who have such a name`(name: String) {
        let form = UpstreamForm(givenName: "Ada", familyName: name, email: nil, from: .app)
        #expect(form.familyName == name)
    }
}
