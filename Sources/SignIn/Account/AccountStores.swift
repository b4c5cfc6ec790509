import AuthEngine
import Directory
import Domain

/// What the person's own pages read and change.
struct AccountStores: Sendable {
    let details: UserDetailStore
    let consentEnds: ConsentEndStore
    let relays: RelaySwitchStore
    let passwords: PasswordStore
    let signIn: PasswordSignIn
    let hasher: PasswordHasher
    let newPasswords: NewPasswords
    let emailChanges: EmailChange
    let deletions: AccountDeletion
    let exports: PersonExportStore
    let identities: ProviderIdentityListStore
    let linkEnds: ProviderLinkEndStore

    init(
        _ database: TeamDatabase,
        context: EngineContext,
        signIn: PasswordSignIn,
        hasher: PasswordHasher,
        newPasswords: NewPasswords,
        emailChanges: EmailChange
    ) {
        details = UserDetailStore(database)
        consentEnds = ConsentEndStore(database)
        relays = RelaySwitchStore(database)
        passwords = PasswordStore(database)
        self.signIn = signIn
        self.hasher = hasher
        self.newPasswords = newPasswords
        self.emailChanges = emailChanges
        deletions = AccountDeletion(database, random: context.random)
        exports = PersonExportStore(database)
        identities = ProviderIdentityListStore(database)
        linkEnds = ProviderLinkEndStore(database)
    }
}
