import Bytes
import Domain
import Localization
import Registry
import Web

// Form fields.
extension ServiceIDForm {
    func identifierField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "identifier", label: Message("console.registry.identifier"), value: identifier, autocomplete: "off",
            placeholder: "com.example.web", hint: Message("console.service-ids.identifier.hint"),
            error: problems["identifier"], isCode: true)
    }

    func descriptionField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "description", label: Message("console.registry.description"), value: description, autocomplete: "off",
            hint: Message("console.service-ids.description.hint"), error: problems["description"])
    }

    func appIDSelect(of appIDs: [AppID], _ problems: FormProblems) -> SelectView {
        SelectView(
            "appID", label: Message("console.registry.app-id"),
            hint: Message("console.service-ids.app-id.hint", count: Quota.serviceIDs.count), error: problems["appID"],
            options: appIDs.map { known in
                SelectView.Option(
                    known.identifier.rawValue, known.optionLabel, isSelected: known.identifier.rawValue == appID)
            })
    }

    func domainsArea(_ problems: FormProblems) -> TextareaView {
        TextareaView(
            "domains", label: Message("console.registry.domains"), value: domains.text,
            hint: Message("console.service-ids.domains.hint"), errors: problems.sentences(of: "domains"), lineCount: 3,
            isCode: true)
    }

    func returnURLsView(_ problems: FormProblems) -> ReturnURLsView {
        ReturnURLsView(typed: returnURLs, problems: rowProblems(problems))
    }

    /// Errors by row; errors number the nonempty URLs only, while the page may have empty rows between them.
    private func rowProblems(_ problems: FormProblems) -> [Int: LocalizedText] {
        var rows: [Int: LocalizedText] = [:]
        for (index, message) in problems.elements(of: "returnURLs") where index < filledRows.count {
            rows[filledRows[index].row] = message
        }
        if let message = problems["returnURLs"] {
            for (row, _) in filledRows.dropFirst(Quota.returnURLs.count) where rows[row] == nil { rows[row] = message }
        }
        return rows
    }

    func booleansChoices(_ problems: FormProblems) -> ChoicesView {
        ChoicesView(
            "booleans", label: Message("console.service-ids.booleans.label"),
            help: Message("console.service-ids.booleans.help"), error: problems["booleans"],
            options: [
                .init(
                    ServiceID.Booleans.json.rawValue, "true", hint: Message("console.service-ids.booleans.json.hint"),
                    isChecked: booleans != ServiceID.Booleans.string.rawValue),
                .init(
                    ServiceID.Booleans.string.rawValue, "\"true\"",
                    hint: Message("console.service-ids.booleans.string.hint"),
                    isChecked: booleans == ServiceID.Booleans.string.rawValue),
            ])
    }

    var requirePKCEBox: CheckboxView {
        CheckboxView(
            "requirePKCE", label: Message("console.service-ids.pkce.label"),
            hint: Message("console.service-ids.pkce.hint"), isChecked: requiresPKCE)
    }
}

extension ServiceID.Issuer {
    /// Choice of the issuer, of a Service ID or a bundle ID.
    ///
    /// - Parameters:
    ///   - issuer: the chosen one, as typed.
    ///   - base: the team's own.
    static func choices(_ issuer: String, own base: String, _ problems: FormProblems) -> ChoicesView {
        ChoicesView(
            "issuer", label: Message("console.registry.issuer"), help: Message("console.service-ids.issuer.help"),
            error: problems["issuer"],
            options: [
                .init(
                    own.rawValue, Message("console.service-ids.issuer.own"), hint: base,
                    isChecked: issuer != apple.rawValue),
                .init(
                    apple.rawValue, "https://appleid.apple.com", hint: Message("console.service-ids.issuer.apple.hint"),
                    isChecked: issuer == apple.rawValue),
            ])
    }

    static func words(_ issuer: String) -> any LocalizedTextConvertible {
        issuer == apple.rawValue ? "https://appleid.apple.com" : Message("console.service-ids.issuer.own.short")
    }
}
