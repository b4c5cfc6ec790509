import Audit
import AuthEngine
import Bytes
import Crypto
import Domain
import HTTP
import Registry
import SignIn

/// Runs trials: makes them, and carries their answers to a verified id_token as an app's server would.
struct TrialRun: Sendable {
    let context: EngineContext
    let trials: TrialStore
    let tokens: TokenEndpoint
    let authorization: Authorization
    let verifiers: CodeVerifiers

    init(context: EngineContext, database: TeamDatabase, trials: TrialStore, flows: FlowRecorder) {
        self.context = context
        self.trials = trials
        tokens = TokenEndpoint(context: context, database: database, trials: trials, flows: flows)
        authorization = Authorization(trials: trials)
        verifiers = CodeVerifiers(keyRing: context.keyRing)
    }

    /// What its member chose on the form.
    struct Choice: Sendable {
        let scope: AuthorizationRequest.Scope
        let responseMode: AuthorizationRequest.ResponseMode
    }

    /// Who runs it.
    struct Member: Sendable {
        let sessionHash: [UInt8]
        let actor: Actor
        let origin: Origin
    }

    /// Makes a trial with a key of its own and makes both known to the engine.
    func begin(
        as serviceID: ClientID,
        _ choice: Choice,
        by member: Member,
        in team: TeamID
    ) async throws -> Trial {
        let key = P256SigningKey.generate()
        let id = TrialID(random: context.random)
        let trial = Trial(
            id: id,
            of: serviceID,
            sessionHash: member.sessionHash,
            keyID: keyID(),
            publicKeyPEM: key.publicKey.pem,
            returnURL: context.publicURL + TrialRoutes.callback.link(team, id),
            state: Base64URL.encode(context.random.bytes(16)),
            nonce: Base64URL.encode(context.random.bytes(16)),
            scope: choice.scope,
            responseMode: choice.responseMode,
            at: context.clock()
        )
        let event = AuditEvent.trialStarted(trial, by: member.actor, from: member.origin)
        try await trials.insert(trial, privateKeyPEM: key.pem, event: event, in: team)
        return trial
    }

    func request(of trial: Trial, in team: TeamID) -> TrialRequest {
        TrialRequest(
            trial,
            challenge: verifiers.challenge(of: trial.id),
            endpoint: context.publicURL + TeamRoutes.authorize.link(team)
        )
    }

    /// What the engine would refuse at once, told here instead of on a page that leads nowhere.
    func refusal(of trial: Trial, in team: TeamSnapshot) async throws -> TrialRecord? {
        let request = request(of: trial, in: team.id)
        do {
            let parameters = try ProtocolParameters(request.fields)
            _ = try await authorization.judge(parameters, to: team, at: context.clock())
            return nil
        } catch let refusal as AuthorizationRefusal {
            let step = TrialStep(
                .bad,
                Phrase("console.trials.refused"),
                Phrase("console.trials.refused.about", ["reason": "\(refusal.reason)"]),
                tables: [
                    .init(
                        title: Phrase("console.trials.answer"),
                        rows: [.init("error", refusal.error.rawValue)]
                    )
                ]
            )
            return TrialRecord(.failed, [request.step, step])
        }
    }

    /// Checks what came back, redeems the code and checks the id_token.
    func complete(
        _ trial: Trial,
        as service: ServiceID,
        _ fields: [FormCoding.Field],
        by mode: AuthorizationRequest.ResponseMode,
        in team: TeamSnapshot,
        from origin: Origin
    ) async throws -> TrialRecord {
        var steps = [request(of: trial, in: team.id).step]
        do {
            let answer = try TrialAnswer(fields, by: mode, to: trial)
            steps.append(answer.step)
            let secret = try await clientSecret(of: trial, in: team.id)
            steps.append(secret.step)
            let redemption = try await TrialRedemption(
                tokenRequest(trial, answer.code, secret.text),
                at: tokens,
                of: team,
                from: origin
            )
            steps.append(redemption.step)
            steps.append(try identity(redemption.idToken, trial, service, team).step)
            return TrialRecord(.completed, steps)
        } catch let failure as TrialFailure {
            return TrialRecord(failure.outcome, steps + [failure.step])
        }
    }

    /// Keeps what it came to; the first of two answers counts.
    func keep(_ record: TrialRecord, of trial: Trial, by member: Member, in team: TeamID) async throws {
        let event = AuditEvent.trialCompleted(trial, record.outcome, by: member.actor, from: member.origin)
        _ = try await trials.finish(trial.id, steps: record.stored, event: event, in: team)
    }
}

// The parts of a run.
extension TrialRun {
    private func keyID() -> KeyID {
        while true {
            let text = context.random.text(TenCharacterID.length, from: .identifier)
            if let id = KeyID(rawValue: text) { return id }
        }
    }

    private func clientSecret(of trial: Trial, in team: TeamID) async throws -> TrialClientSecret {
        guard let pem = try await trials.privateKeyPEM(of: trial.id, in: team) else {
            throw TrialFailure(
                TrialStep(
                    .bad,
                    Phrase("console.trials.secret"),
                    Phrase("console.trials.secret.sealed")
                )
            )
        }
        return try TrialClientSecret(
            for: trial,
            signedWith: pem,
            team: team,
            audience: context.base(of: team),
            at: context.clock()
        )
    }

    private func tokenRequest(_ trial: Trial, _ code: String, _ secret: String) -> [FormCoding.Field] {
        [
            FormCoding.Field("grant_type", "authorization_code"),
            FormCoding.Field("code", code),
            FormCoding.Field("redirect_uri", trial.returnURL),
            FormCoding.Field("client_id", trial.serviceID.rawValue),
            FormCoding.Field("client_secret", secret),
            FormCoding.Field("code_verifier", verifiers.verifier(of: trial.id)),
        ]
    }

    private func identity(
        _ idToken: String,
        _ trial: Trial,
        _ service: ServiceID,
        _ team: TeamSnapshot
    ) throws(TrialFailure) -> TrialIdentity {
        let moment = context.clock()
        let expected = TrialIdentity.Expectation(
            issuer: service.issuer == .apple ? "https://appleid.apple.com" : context.base(of: team.id),
            audience: trial.serviceID,
            nonce: trial.nonce,
            moment: moment
        )
        return try TrialIdentity(idToken, keySet: team.keySet(at: moment), expected)
    }
}
