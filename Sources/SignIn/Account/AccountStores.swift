import Accounts
import Directory
import Federation
import OAuth
import Platform

/// Stores and services behind the account pages.
struct AccountStores: Sendable {
    let details: UserDetailStore
    let authorizationEnds: AuthorizationEndStore
    let relays: RelaySwitchStore
    let passwords: PasswordStore
    let signIn: PasswordSignIn
    let hasher: PasswordHasher
    let newPasswords: NewPasswords
    let emailChanges: EmailChange
    let deletions: AccountDeletion
    let exports: PersonExportStore
    let identities: ProviderIdentityListStore
    let linkEnds: FederatedUnlinkStore

    init(
        _ database: TeamDatabase, server: ServerContext, signIn: PasswordSignIn, hasher: PasswordHasher,
        newPasswords: NewPasswords, emailChanges: EmailChange
    ) {
        details = UserDetailStore(database)
        authorizationEnds = AuthorizationEndStore(database)
        relays = RelaySwitchStore(database)
        passwords = PasswordStore(database)
        self.signIn = signIn
        self.hasher = hasher
        self.newPasswords = newPasswords
        self.emailChanges = emailChanges
        deletions = AccountDeletion(database, random: server.random)
        exports = PersonExportStore(database)
        identities = ProviderIdentityListStore(database)
        linkEnds = FederatedUnlinkStore(database)
    }
}
