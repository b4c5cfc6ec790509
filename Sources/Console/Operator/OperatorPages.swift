import Templates

/// Pages of the operators' area: health, teams, jobs, Apple's documents, mailbox.
struct OperatorPages: Sendable {
    private let health: HealthPages
    private let teams: OperatorTeamPages
    private let jobs: JobPages
    private let drift: DriftPages
    private let mailbox: MailboxPages

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        health = try HealthPages(parts)
        teams = try OperatorTeamPages(parts)
        jobs = try JobPages(parts)
        drift = try DriftPages(parts)
        mailbox = try MailboxPages(parts)
    }

    func mount(on router: inout ConsoleRouter) {
        health.mount(on: &router)
        teams.mount(on: &router)
        jobs.mount(on: &router)
        drift.mount(on: &router)
        mailbox.mount(on: &router)
    }

    static var views: [any View.Type] {
        HealthPages.views + OperatorTeamPages.views + JobPages.views + DriftPages.views + MailboxPages.views
    }
}
