import Core
import Directory
import HTTP
import Platform

/// Adds the factor in a form, during a sign-in or on the account pages.
struct FactorEnrolment: Sendable {
    let factors: SecondFactors
    let subject: Subject
    let team: TeamID
    let browser: String
    let origin: Origin
    let now: Timestamp
    /// Whether the user must not have a factor yet, as in a sign-in by password alone.
    let isFirst: Bool
    let right: EnrolmentRight
    let mailer: FactorMailer

    /// Result of adding a factor.
    enum Outcome: Sendable {
        /// With the recovery codes to show, if they are the user's first.
        case added(FactorKind, [RecoveryCode]?)
        /// The user has a factor already, which must be requested instead.
        case notFirst
        /// The session or interaction that allowed the addition has ended.
        case expired
        case refused(FactorKind, Message, TOTPOffer?)
    }

    /// - Returns: nil if the form contains no factor.
    func add(_ form: Form) async throws -> Outcome? {
        switch form["method"].flatMap(FactorKind.init) {
        case .totp: try await addTOTP(form)
        case .passkey: try await addPasskey(form)
        case .recoveryCode, nil: nil
        }
    }

    private func addTOTP(_ form: Form) async throws -> Outcome {
        guard let offer = factors.offers.open(form["offer"] ?? "", for: subject, in: team, at: now) else {
            return .refused(.totp, Message("hosted.factors.set-up.totp.expired"), nil)
        }
        do {
            let codes = try await factors.totp.enrol(
                offer.secret, provedBy: form["code"] ?? "", of: subject, isFirst: isFirst, by: right, in: team,
                from: origin, at: now, telling: mailer)
            return .added(.totp, codes)
        } catch FactorRefusal.wrongCode {
            return .refused(.totp, Message("hosted.factors.set-up.totp.wrong"), offer)
        } catch FactorRefusal.notFirst { return .notFirst } catch FactorRefusal.expired { return .expired }
    }

    private func addPasskey(_ form: Form) async throws -> Outcome? {
        guard let passkeys = factors.passkeys else { return nil }
        guard let name = PasskeyName(form["name"] ?? "") else {
            return .refused(.passkey, Message("hosted.factors.set-up.passkey.name-rule"), nil)
        }
        do {
            guard let response = form.registration else { throw FactorRefusal.notProved }
            let codes = try await passkeys.register(
                response, named: name, transports: form.transports, for: subject, isFirst: isFirst, by: right,
                browser: browser, in: team, from: origin, at: now, telling: mailer)
            return .added(.passkey, codes)
        } catch FactorRefusal.notFirst { return .notFirst } catch FactorRefusal.expired { return .expired } catch let
            refusal as FactorRefusal
        { return .refused(.passkey, Self.words(refusal), nil) }
    }

    private static func words(_ refusal: FactorRefusal) -> Message {
        switch refusal {
        case .taken: Message("hosted.factors.set-up.passkey.taken")
        case .tooMany: Message("hosted.factors.set-up.passkey.too-many")
        default: Message("hosted.factors.set-up.passkey.refused")
        }
    }
}

/// One try at a second factor, from a form.
struct FactorProof: Sendable {
    let subject: Subject
    let team: TeamID
    /// Name of the interaction or session to which the limit of five tries applies.
    let interaction: String
    /// Value of the browser cookie.
    let browser: String
    let origin: Origin
    let now: Timestamp

    /// Verifies the proof in the form; nil if it contains none, or a passkey that the server cannot use.
    func check(_ form: Form, with factors: SecondFactors) async throws -> (kind: FactorKind, result: FactorResult)? {
        guard let kind = form["method"].flatMap(FactorKind.init) else { return nil }
        switch kind {
        case .totp: return (kind, try await check(.totp(form["code"] ?? ""), factors))
        case .recoveryCode: return (kind, try await check(.recovery(form["code"] ?? ""), factors))
        case .passkey:
            guard let passkeys = factors.passkeys else { return nil }
            guard let response = form.assertion else { return (kind, .wrong) }
            let isProved = try await passkeys.prove(
                response, of: subject, browser: browser, in: team, from: origin, at: now)
            return (kind, isProved ? .proved : .wrong)
        }
    }

    private func check(_ code: FactorSignIn.Code, _ factors: SecondFactors) async throws -> FactorResult {
        try await factors.codes.prove(code, of: subject, interaction: interaction, in: team, from: origin, at: now)
    }
}
