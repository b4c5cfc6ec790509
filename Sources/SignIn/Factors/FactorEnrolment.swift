import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP

/// Adds a factor that a form brings, at a sign-in and on the person's own page alike.
struct FactorEnrolment: Sendable {
    let factors: SecondFactors
    let subject: Subject
    let team: TeamID
    let browser: String
    let origin: Origin
    let now: Timestamp
    /// Whether only somebody without a factor may, as at a sign-in by password alone.
    let isFirst: Bool
    let right: EnrolmentRight
    let post: FactorPost

    /// What came of it.
    enum Outcome: Sendable {
        /// With the recovery codes to show, when they are the person's first.
        case added(FactorKind, [RecoveryCode]?)
        /// The person has a factor already, which has to be asked for instead.
        case notFirst
        /// What the person would add it by has ended meanwhile.
        case over
        case refused(FactorKind, Phrase, TOTPOffer?)
    }

    /// - Returns: nil where the form brings no factor.
    func add(_ form: Form) async throws -> Outcome? {
        switch form["method"].flatMap(FactorKind.init) {
        case .totp: try await addTOTP(form)
        case .passkey: try await addPasskey(form)
        case .recoveryCode, nil: nil
        }
    }

    private func addTOTP(_ form: Form) async throws -> Outcome {
        guard let offer = factors.offers.open(form["offer"] ?? "", for: subject, in: team, at: now) else {
            return .refused(.totp, Phrase("hosted.factors.set-up.totp.expired"), nil)
        }
        do {
            let codes = try await factors.totp.enrol(
                offer.secret,
                provedBy: form["code"] ?? "",
                of: subject,
                isFirst: isFirst,
                by: right,
                in: team,
                from: origin,
                at: now,
                telling: post
            )
            return .added(.totp, codes)
        } catch FactorRefusal.wrongCode {
            return .refused(.totp, Phrase("hosted.factors.set-up.totp.wrong"), offer)
        } catch FactorRefusal.notFirst {
            return .notFirst
        } catch FactorRefusal.over {
            return .over
        }
    }

    private func addPasskey(_ form: Form) async throws -> Outcome? {
        guard let passkeys = factors.passkeys else { return nil }
        guard let name = PasskeyName(form["name"] ?? "") else {
            return .refused(.passkey, Phrase("hosted.factors.set-up.passkey.name-rule"), nil)
        }
        do {
            guard let response = form.registration else { throw FactorRefusal.notProved }
            let codes = try await passkeys.register(
                response,
                named: name,
                transports: form.transports,
                for: subject,
                isFirst: isFirst,
                by: right,
                browser: browser,
                in: team,
                from: origin,
                at: now,
                telling: post
            )
            return .added(.passkey, codes)
        } catch FactorRefusal.notFirst {
            return .notFirst
        } catch FactorRefusal.over {
            return .over
        } catch let refusal as FactorRefusal {
            return .refused(.passkey, Self.words(refusal), nil)
        }
    }

    private static func words(_ refusal: FactorRefusal) -> Phrase {
        switch refusal {
        case .taken: Phrase("hosted.factors.set-up.passkey.taken")
        case .tooMany: Phrase("hosted.factors.set-up.passkey.too-many")
        default: Phrase("hosted.factors.set-up.passkey.refused")
        }
    }
}
