import Core
import Directory
import HTTP
import Platform

/// Endpoints of the pages on which users manage their account at a team.
struct AccountEndpoints: Sendable {
    let steps: AccountSteps
    let home: AccountHome
    let apps: AccountApps
    let data: AccountData
    let email: AccountEmail
    let password: AccountPassword
    let factors: AccountFactors
    let apple: LinkedApple

    func mount(on router: inout Router) {
        router.get(TeamRoutes.account, .standard, steps.asPerson(home.show))
        router.get(TeamRoutes.changePassword) { changePassword($0) }
        factors.mount(on: &router)
        apple.mount(on: &router)
        router.post(TeamRoutes.sessionEnd, .form) { try await home.signOut($0, $1) }
        router.get(TeamRoutes.appEnd, .standard, steps.asPerson(apps.askToStop))
        router.post(TeamRoutes.appEnd, .form, steps.asPerson(apps.stop))
        router.post(TeamRoutes.appRelay, .form, steps.asPerson(apps.switchRelay))
        router.post(TeamRoutes.oneSession, .form, steps.asPerson(ending: true, home.end))
        router.post(TeamRoutes.otherSessions, .form, steps.asPerson(ending: true, home.endOthers))
        router.get(TeamRoutes.ownPassword, .standard, steps.asPerson(password.askPassword))
        router.post(TeamRoutes.ownPassword, .form, steps.asPerson(password.changePassword))
        router.get(TeamRoutes.ownEmail, .standard, steps.asPerson(email.askEmail))
        router.post(TeamRoutes.ownEmail, .form, steps.asPerson(email.changeEmail))
        router.get(TeamRoutes.ownData, .standard, steps.asPerson(data.askToDownload))
        router.post(TeamRoutes.ownData, .form, steps.asPerson(data.download))
        router.get(TeamRoutes.deletion, .standard, steps.asPerson(data.askToDelete))
        router.post(TeamRoutes.deletion, .form, steps.asPerson(ending: true, data.delete))
    }

    /// Where password managers send people who are to change a password of this host (W3C, "A Well-Known URL for Changing
    /// Passwords"): to the team whose session cookie came last in this browser, or else to the console's accounts.
    private func changePassword(_ request: Request) -> Response {
        let team = steps.site.cookies.teams(in: request.cookies).last ?? .system
        var response = Response.redirect(to: steps.site.link(to: TeamRoutes.ownPassword.link(team), for: request))
        response.set(.cacheControl, "no-store")
        return response
    }
}
