import Bytes
import Domain
import HTTP
import Localization
import Registry
import Web

/// Form of a Service ID.
struct ServiceIDForm: ResourceForm {
    let identifier: String
    let appID: String
    let description: String
    /// Domains, one per line.
    let domains: TypedLines
    /// Return URLs, one per row, including empty rows.
    let returnURLs: [String]
    /// The nonempty rows with their positions on the page.
    let filledRows: [(row: Int, text: String)]
    let issuer: String
    let booleans: String
    let requiresPKCE: Bool

    /// An empty form.
    ///
    /// - Parameter appID: the preselected App ID.
    init(of appID: String = "") {
        (identifier, description, domains) = ("", "", TypedLines("", atMost: .domains))
        (returnURLs, filledRows) = ([], [])
        self.appID = appID
        issuer = ServiceID.Issuer.own.rawValue
        booleans = ServiceID.Booleans.json.rawValue
        requiresPKCE = false
    }

    init(_ form: Form) {
        identifier = form["identifier"] ?? ""
        appID = form["appID"] ?? ""
        description = form["description"] ?? ""
        domains = TypedLines(form["domains"] ?? "", atMost: .domains)
        returnURLs = form.values(of: "return_url")
        filledRows = Self.filled(returnURLs)
        issuer = form["issuer"] ?? ServiceID.Issuer.own.rawValue
        booleans = form["booleans"] ?? ServiceID.Booleans.json.rawValue
        requiresPKCE = form.isChecked("requirePKCE")
    }

    init(_ service: ServiceID) {
        identifier = service.identifier.rawValue
        appID = service.appID.rawValue
        description = service.description
        domains = TypedLines(service.domains.map(\.text).joined(separator: "\n"), atMost: .domains)
        returnURLs = service.returnURLs.map(\.text)
        filledRows = Self.filled(returnURLs)
        issuer = service.issuer.rawValue
        booleans = service.booleans.rawValue
        requiresPKCE = service.requiresPKCE
    }

    /// The unparsed values for the existing Service ID `identifier`, or for a new one with the typed identifier.
    func input(for identifier: ClientID? = nil) -> ServiceID.Input {
        ServiceID.Input(
            identifier: identifier?.rawValue ?? self.identifier.trimmed, description: description, domains: domains.all,
            returnURLs: filledRows.map(\.text), issuer: issuer, booleans: booleans, requiresPKCE: requiresPKCE)
    }

    private static func filled(_ rows: [String]) -> [(row: Int, text: String)] {
        rows.enumerated().compactMap { row, text in
            let text = text.trimmed
            return text.isEmpty ? nil : (row, text)
        }
    }

    var fields: [FormCoding.Field] {
        var fields = [FormCoding.Field("description", description), FormCoding.Field("domains", domains.text)]
        fields += returnURLs.map { FormCoding.Field("return_url", $0) }
        fields += [FormCoding.Field("issuer", issuer), FormCoding.Field("booleans", booleans)]
        if requiresPKCE { fields.append(FormCoding.Field("requirePKCE", "yes")) }
        return fields
    }

    func compared(with current: ServiceID) -> [ConflictPage.Row] {
        let theirs = ServiceIDForm(current).words
        return zip(theirs, words).map { theirs, yours in
            ConflictPage.Row(label: theirs.label, theirs: theirs.value, yours: yours.value)
        }
    }

    /// Label and displayed value of each setting.
    var words: [(label: Message, value: any LocalizedTextConvertible)] {
        [
            (Message("console.registry.description"), description),
            (Message("console.registry.domains"), Self.list(domains.all.sorted())),
            (Message("console.registry.return-urls"), Self.list(filledRows.map(\.text))),
            (Message("console.registry.issuer"), ServiceID.Issuer.words(issuer)),
            (
                Message("console.registry.booleans"),
                booleans == ServiceID.Booleans.string.rawValue
                    ? Message("console.service-ids.booleans.string") : Message("console.service-ids.booleans.json")
            ),
            (
                Message("console.registry.pkce"),
                requiresPKCE
                    ? Message("console.service-ids.pkce.required") : Message("console.service-ids.pkce.optional")
            ),
        ]
    }

    private static func list(_ values: [String]) -> any LocalizedTextConvertible {
        guard !values.isEmpty else { return Message("console.registry.none") }
        return values.joined(separator: ", ")
    }
}
