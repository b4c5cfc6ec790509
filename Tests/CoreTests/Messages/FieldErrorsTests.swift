import Core
import Testing

@Suite struct `Errors by field` {
    private let url = FieldPath("returnURLs")[1]

    @Test func `say where they are in what they are put under`() {
        let team = FieldPath("teams")[0]
        let errors = FieldErrors(url, "wrong").under(team["apps"][2])

        #expect(errors.all.map(\.path) == [team["apps"][2]["returnURLs"][1]])
        #expect(errors.all.map(\.path.description) == ["teams[0].apps[2].returnURLs[1]"])
        #expect(FieldErrors(.whole, "wrong").under(team).all.map(\.path) == [team])
        #expect(FieldErrors(url, "wrong").under(.whole) == FieldErrors(url, "wrong"))
        #expect(FieldPath.whole.description.isEmpty)
    }

    @Test func `are of the field alone, however it is called`() {
        let odd = FieldPath("returnURLs[1]")
        let errors = FieldErrors(odd, "odd")

        #expect(errors[odd] == "odd".localizedText && errors[url] == nil)
        #expect(errors.elements(of: "returnURLs").isEmpty)
        #expect((url.name, url.position) == ("returnURLs", 1))
        #expect((odd.name, odd.position) == ("returnURLs[1]", nil))
    }

    @Test func `of a list are those of its elements`() {
        var errors = FieldErrors(url, "wrong")
        errors.add("returnURLs", "too many")
        errors.add("domains", "none")
        errors.add(url["host"], "of something inside")

        #expect(errors.elements(of: "returnURLs").map(\.position) == [1])
        #expect(errors["returnURLs"] == "too many".localizedText)
    }

    @Test func `of a value that is required are added once`() {
        var errors = FieldErrors("days", "too few")

        let days: Int? = errors.require(nil, "days", "no number")
        let seconds = errors.require(5, "seconds", "no number")
        let months: Int? = errors.require(nil, "months", "no number")

        #expect((days, seconds, months) == (nil, 5, nil))
        #expect(errors.all.map(\.path) == ["days", "months"])
        #expect(errors["days"] == "too few".localizedText)
    }
}
