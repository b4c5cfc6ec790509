import Domain
import Registry
import Web

// The fields as pages show them.
extension ServiceIDForm {
    func identifierField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "identifier",
            label: "Identifier",
            value: identifier,
            autocomplete: "off",
            placeholder: "com.example.web",
            hint: "What the web site sends as client_id. It stays as it is afterwards.",
            error: problems["identifier"],
            isCode: true
        )
    }

    func descriptionField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "description",
            label: "Description",
            value: description,
            autocomplete: "off",
            hint: "The app's name, as people read it when they sign in.",
            error: problems["description"]
        )
    }

    func appIDSelect(of appIDs: [AppID], _ problems: FormProblems) -> SelectView {
        SelectView(
            "appID",
            label: "App ID",
            hint: "Up to \(Limit.serviceIDs.count) Service IDs belong to each.",
            error: problems["appID"],
            options: appIDs.map { known in
                SelectView.Option(
                    known.identifier.rawValue,
                    "\(known.description) (\(known.identifier))",
                    isSelected: known.identifier.rawValue == appID
                )
            }
        )
    }

    func domainsArea(_ problems: FormProblems) -> TextareaView {
        let lines = domainLines
        let errors = problems.elements(of: "domains").map { index, message in
            index < lines.count ? "\(lines[index]): \(message)" : message
        }
        let all = errors + [problems["domains"]].compactMap(\.self)
        return TextareaView(
            "domains",
            label: "Domains",
            value: domains,
            hint: "One a line, such as example.com. Each covers the hosts below it.",
            error: all.isEmpty ? nil : all.joined(separator: " "),
            lineCount: 3,
            isCode: true
        )
    }

    func returnURLsView(_ problems: FormProblems) -> ReturnURLsView {
        ReturnURLsView(typed: returnURLs, problems: rowProblems(problems))
    }

    /// Problems are told of the URLs in order; on the page there may be empty rows between them.
    private func rowProblems(_ problems: FormProblems) -> [Int: String] {
        let filled = filledRows
        var rows: [Int: String] = [:]
        for (index, message) in problems.elements(of: "returnURLs") where index < filled.count {
            rows[filled[index].row] = message
        }
        if let message = problems["returnURLs"] {
            for (row, _) in filled.dropFirst(Limit.returnURLs.count) where rows[row] == nil {
                rows[row] = message
            }
        }
        return rows
    }

    func issuerChoices(own base: String, _ problems: FormProblems) -> ChoicesView {
        ChoicesView(
            "issuer",
            label: "Issuer",
            help: "What tokens name as their origin; libraries compare it exactly.",
            error: problems["issuer"],
            options: [
                .init(
                    ServiceID.Issuer.own.rawValue,
                    "This team at Pippin",
                    hint: base,
                    isChecked: issuer != ServiceID.Issuer.apple.rawValue
                ),
                .init(
                    ServiceID.Issuer.apple.rawValue,
                    "https://appleid.apple.com",
                    hint:
                        "For libraries with Apple's name built in, such as omniauth-apple, apple-signin-auth, "
                        + "django-allauth and vapor/jwt. Never give these tokens to a verifier that also trusts "
                        + "Apple's own keys by the issuer alone.",
                    isChecked: issuer == ServiceID.Issuer.apple.rawValue
                ),
            ]
        )
    }

    func booleansChoices(_ problems: FormProblems) -> ChoicesView {
        ChoicesView(
            "booleans",
            label: "Booleans in tokens",
            help: "How email_verified and is_private_email are written; Apple has used both ways.",
            error: problems["booleans"],
            options: [
                .init(
                    ServiceID.Booleans.json.rawValue,
                    "true",
                    hint: "A boolean, which every library we know takes.",
                    isChecked: booleans != ServiceID.Booleans.string.rawValue
                ),
                .init(
                    ServiceID.Booleans.string.rawValue,
                    "\"true\"",
                    hint: "A text, for code that compares with one.",
                    isChecked: booleans == ServiceID.Booleans.string.rawValue
                ),
            ]
        )
    }

    var requirePKCEBox: CheckboxView {
        CheckboxView(
            "requirePKCE",
            label: "Require PKCE",
            hint:
                "Refuses sign-ins without a code_challenge. Most libraries for Sign in with Apple send none.",
            isChecked: requiresPKCE
        )
    }
}
