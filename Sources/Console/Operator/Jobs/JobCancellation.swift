import Bytes
import HTTP
import Jobs
import Web

/// What an operator types to give a job up.
struct JobCancellation: Sendable {
    private static let reasonLimit = 500

    private var confirmation = ""
    private var typedReason = ""

    init() {}

    init(_ form: Form) {
        confirmation = form["confirmation"] ?? ""
        typedReason = form["reason"] ?? ""
    }

    /// The reason, for the audit log, or nil with what is wrong.
    func reason(for job: JobSummary, _ errors: inout FieldErrors) -> String? {
        let retyped = Retyped(confirmation, expecting: job.kind)
        if let problem = retyped.problem(expecting: job.kind) { errors.add("confirmation", problem) }
        let line = String(
            String.UnicodeScalarView(
                typedReason.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
            )
        )
        .trimmed
        if line.isEmpty { errors.add("reason", Phrase("console.operator.jobs.reason.missing")) }
        if line.unicodeScalars.count > Self.reasonLimit {
            errors.add("reason", Phrase("console.operator.jobs.reason.long", count: Self.reasonLimit))
        }
        return errors.isEmpty ? line : nil
    }

    /// The form, with what was typed and what is wrong with it.
    func view(of job: JobSummary, _ errors: FieldErrors) -> DangerView {
        DangerView(
            action: OperatorRoutes.cancellation.link(job.team, job.id),
            summary: Phrase("console.operator.jobs.cancel.summary"),
            consequences: [
                Phrase("console.operator.jobs.cancel.undone"), Phrase("console.operator.jobs.cancel.running"),
            ],
            expected: job.kind,
            confirmation: FieldView(
                "confirmation",
                label: Phrase("console.confirm.type", ["expected": job.kind]),
                value: confirmation,
                autocomplete: "off",
                error: errors["confirmation"],
                isCode: true
            ),
            reason: FieldView(
                "reason",
                label: Phrase("console.operator.jobs.reason"),
                value: typedReason,
                autocomplete: "off",
                hint: Phrase("console.operator.jobs.reason.hint"),
                error: errors["reason"]
            ),
            button: Phrase("console.operator.jobs.cancel.button"),
            version: "0"
        )
    }
}
