import Bytes
import Domain
import Registry
import Web

// The fields as pages show them.
extension ServiceIDForm {
    func identifierField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "identifier",
            label: Phrase("console.registry.identifier"),
            value: identifier,
            autocomplete: "off",
            placeholder: "com.example.web",
            hint: Phrase("console.service-ids.identifier.hint"),
            error: problems["identifier"],
            isCode: true
        )
    }

    func descriptionField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "description",
            label: Phrase("console.registry.description"),
            value: description,
            autocomplete: "off",
            hint: Phrase("console.service-ids.description.hint"),
            error: problems["description"]
        )
    }

    func appIDSelect(of appIDs: [AppID], _ problems: FormProblems) -> SelectView {
        SelectView(
            "appID",
            label: Phrase("console.registry.app-id"),
            hint: Phrase("console.service-ids.app-id.hint", count: Limit.serviceIDs.count),
            error: problems["appID"],
            options: appIDs.map { known in
                SelectView.Option(
                    known.identifier.rawValue,
                    known.optionLabel,
                    isSelected: known.identifier.rawValue == appID
                )
            }
        )
    }

    func domainsArea(_ problems: FormProblems) -> TextareaView {
        TextareaView(
            "domains",
            label: Phrase("console.registry.domains"),
            value: domains.text,
            hint: Phrase("console.service-ids.domains.hint"),
            errors: problems.sentences(of: "domains"),
            lineCount: 3,
            isCode: true
        )
    }

    func returnURLsView(_ problems: FormProblems) -> ReturnURLsView {
        ReturnURLsView(typed: returnURLs, problems: rowProblems(problems))
    }

    /// Problems are told of the URLs in order; on the page there may be empty rows between them.
    private func rowProblems(_ problems: FormProblems) -> [Int: Words] {
        var rows: [Int: Words] = [:]
        for (index, message) in problems.elements(of: "returnURLs") where index < filledRows.count {
            rows[filledRows[index].row] = message
        }
        if let message = problems["returnURLs"] {
            for (row, _) in filledRows.dropFirst(Limit.returnURLs.count) where rows[row] == nil {
                rows[row] = message
            }
        }
        return rows
    }

    func issuerChoices(own base: String, _ problems: FormProblems) -> ChoicesView {
        ChoicesView(
            "issuer",
            label: Phrase("console.registry.issuer"),
            help: Phrase("console.service-ids.issuer.help"),
            error: problems["issuer"],
            options: [
                .init(
                    ServiceID.Issuer.own.rawValue,
                    Phrase("console.service-ids.issuer.own"),
                    hint: base,
                    isChecked: issuer != ServiceID.Issuer.apple.rawValue
                ),
                .init(
                    ServiceID.Issuer.apple.rawValue,
                    "https://appleid.apple.com",
                    hint: Phrase("console.service-ids.issuer.apple.hint"),
                    isChecked: issuer == ServiceID.Issuer.apple.rawValue
                ),
            ]
        )
    }

    func booleansChoices(_ problems: FormProblems) -> ChoicesView {
        ChoicesView(
            "booleans",
            label: Phrase("console.service-ids.booleans.label"),
            help: Phrase("console.service-ids.booleans.help"),
            error: problems["booleans"],
            options: [
                .init(
                    ServiceID.Booleans.json.rawValue,
                    "true",
                    hint: Phrase("console.service-ids.booleans.json.hint"),
                    isChecked: booleans != ServiceID.Booleans.string.rawValue
                ),
                .init(
                    ServiceID.Booleans.string.rawValue,
                    "\"true\"",
                    hint: Phrase("console.service-ids.booleans.string.hint"),
                    isChecked: booleans == ServiceID.Booleans.string.rawValue
                ),
            ]
        )
    }

    var requirePKCEBox: CheckboxView {
        CheckboxView(
            "requirePKCE",
            label: Phrase("console.service-ids.pkce.label"),
            hint:
                Phrase("console.service-ids.pkce.hint"),
            isChecked: requiresPKCE
        )
    }
}
