public import Bytes
public import Domain
public import EventLoop
public import Log
import Postgres

/// Keeps what happens in sign-ins, for the team's inspector and its counts.
///
/// To record costs no round trip and never fails: steps gather for a moment and are written beside the requests,
/// many at once. A crash may take the last moments; a flood is counted, not kept.
// @unchecked Sendable: touched on its loop's thread alone.
public final class FlowRecorder: @unchecked Sendable {
    private static let interval = Duration.milliseconds(200)
    /// Counts are written more rarely: every loop adds to the same few rows.
    private static let countInterval: Int64 = 5_000_000_000

    private let loop: EventLoop
    private let store: FlowStore
    private let countStore: DailyCountStore
    private let clock: @Sendable () -> Timestamp
    private let log: Log
    private let base: @Sendable (TeamID) -> String
    /// What the operators' log is told of refusals.
    public let refusals: RefusalLog

    private var buffer = FlowBuffer()
    private var counts = DailyCounts()
    private let allowances: FlowAllowances
    private var countedAt = MonotonicTime.now()
    private var isScheduled = false
    private var writing: Task<Void, Never>?

    /// - Parameter allowances: those of the process.
    public init(
        loop: EventLoop,
        database: TeamDatabase,
        context: EngineContext,
        allowances: FlowAllowances
    ) {
        self.loop = loop
        self.allowances = allowances
        store = FlowStore(database)
        countStore = DailyCountStore(database)
        clock = context.clock
        log = context.log
        refusals = RefusalLog(loop: loop, log: context.log)
        base = { context.base(of: $0) }
    }

    /// Steps that found no room, or could not be written, since the process started.
    public var dropped: Int { buffer.dropped }

    /// Writes what is left; the last call before the connections close.
    public func finish() async {
        await writing?.value
        countedAt = .min
        await write()
        refusals.tell()
    }

    private func keep(_ flow: PendingFlow, of team: TeamID) {
        buffer.add(flow, of: team)
        schedule()
    }

    private func count(_ measure: Measure, _ subject: String, of team: TeamID) {
        counts.bump(measure, subject, of: team, at: clock())
        schedule()
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.schedule(after: Self.interval) { [weak self] in
            guard let self else { return }
            writing = Task(executorPreference: loop) { await self.write() }
        }
    }

    /// Team by team, one statement at a time: the requests' own statements come between.
    private func write() async {
        for (team, flows) in buffer.drain() {
            do throws(PostgresFailure) {
                try await store.write(try await store.resolved(flows, in: team), in: team)
            } catch {
                log(.warning, "sign_ins.not_kept", ("team", team.rawValue), ("cause", "\(error)"))
                buffer.noteDropped(flows.reduce(0) { $0 + max(1, $1.steps.count) })
            }
        }
        if MonotonicTime.now() - Self.countInterval >= countedAt {
            countedAt = MonotonicTime.now()
            for (team, counts) in counts.drain() {
                await log.attempt("sign_in_counts.not_kept") { try await countStore.add(counts, in: team) }
            }
        }
        isScheduled = false
        if buffer.count > 0 || !counts.isEmpty { schedule() }
    }
}

// Sign-ins under way.
extension FlowRecorder {
    /// An app's request that passed the checks.
    func begin(
        _ request: AuthorizationRequest,
        as id: AttemptID,
        in team: TeamID,
        at moment: Timestamp,
        from origin: () -> Origin
    ) {
        guard allowances.mayOpen(in: team) else { return }
        let origin = origin()
        let step = FlowStep(
            .authorization,
            at: moment,
            from: origin,
            sent: request.sent.isEmpty ? FlowStep.facts(of: request) : FlowStep.facts(of: request.sent)
        )
        guard allowances.admits(opening: step, from: origin.ip, in: team) else { return }
        var flow = PendingFlow(FlowID(of: id, begunAt: moment))
        flow.clientID = request.client.id
        flow.isTrial = request.trial != nil
        flow.opening = step
        keep(flow, of: team)
    }

    /// A step that a person took, or was refused, on the way to an app.
    public func record(
        _ kind: FlowStep.Kind,
        of attempt: Attempt,
        in team: TeamID,
        by subject: Subject? = nil,
        from origin: Origin,
        cause: RefusalCause? = nil
    ) {
        record(FlowStep(kind, at: clock(), from: origin, cause: cause), of: attempt, in: team, by: subject)
    }

    /// A provider that could not be asked, or whose answer is not good.
    public func fail(
        _ failure: ProviderFailure,
        of attempt: Attempt,
        in team: TeamID,
        from origin: Origin,
        sent: [FlowFact] = []
    ) {
        let step = FlowStep(
            .providerFailed,
            at: clock(),
            from: origin,
            cause: failure.cause,
            reason: failure.reason,
            sent: failure.exchange?.sent ?? sent,
            answered: failure.exchange?.answered ?? []
        )
        record(step, of: attempt, in: team)
    }

    func record(_ step: FlowStep, of attempt: Attempt, in team: TeamID, by subject: Subject? = nil) {
        guard let app = attempt.app else { return }
        if let cause = step.cause { count(.failure, cause.rawValue, of: team) }
        if step.kind == .answered, app.trial == nil { count(.signIn, app.clientID.rawValue, of: team) }
        guard allowances.admits(step, of: subject, in: team) else { return count(.unkept, "", of: team) }
        var flow = PendingFlow(FlowID(of: attempt.id, begunAt: attempt.createdAt))
        flow.clientID = app.clientID
        flow.subject = subject
        flow.isTrial = app.trial != nil
        flow.opening = FlowStep(
            .authorization,
            at: attempt.createdAt,
            from: .local,
            sent: FlowStep.facts(of: app)
        )
        flow.steps = [step]
        stand(step, &flow)
        keep(flow, of: team)
    }

    /// The code of a flow was redeemed.
    func redeem(_ step: FlowStep, of id: FlowID, in team: TeamID) {
        var flow = PendingFlow(id)
        flow.steps = [step]
        keep(flow, of: team)
    }

    private func stand(_ step: FlowStep, _ flow: inout PendingFlow) {
        guard let outcome = step.kind.outcome else { return }
        flow.outcome = outcome
        flow.cause = step.cause
        if outcome == .failed { flow.reference = step.origin.requestID }
    }
}

// What never became a sign-in, belongs to one that is over, or is whole by itself.
extension FlowRecorder {
    /// A native app handed over what it had: the whole of a sign-in.
    func arrive(_ subject: Subject, at app: ClientID, in team: TeamID, from origin: Origin) {
        count(.signIn, app.rawValue, of: team)
        let moment = clock()
        let step = FlowStep(
            .handedOver,
            at: moment,
            from: origin,
            sent: [FlowFact("client_id", app.rawValue)]
        )
        guard allowances.admits(step, of: subject, in: team) else { return count(.unkept, "", of: team) }
        var flow = PendingFlow(FlowID(ofRequest: origin.requestID, at: moment))
        flow.clientID = app
        flow.subject = subject
        flow.opening = step
        stand(step, &flow)
        keep(flow, of: team)
    }

    /// An authorization request that leads nowhere.
    public func refuse(
        _ refusal: AuthorizationRefusal,
        of fields: [FormCoding.Field],
        to team: TeamSnapshot,
        from origin: Origin
    ) {
        refuse(fields, in: team.id, cause: refusal.cause, origin) { moment in
            .refusal(refusal, of: fields, to: team, at: moment, from: origin)
        }
    }

    /// A refusal of the token or revocation endpoint; told with the sign-in whose code it came with.
    public func refuse(
        _ error: OAuthError,
        _ kind: FlowStep.Kind,
        of fields: [FormCoding.Field],
        to team: TeamSnapshot,
        from origin: Origin
    ) {
        refuse(fields, in: team.id, cause: error.cause, origin) { [base] moment in
            .refusal(error, kind, of: fields, to: team, base: base(team.id), at: moment, from: origin)
        }
    }

    /// What a provider answered to something that an app handed over, and the refusal it led to.
    public func refuse(
        _ failure: ProviderFailure,
        _ kind: FlowStep.Kind,
        of fields: [FormCoding.Field],
        to team: TeamSnapshot,
        from origin: Origin
    ) {
        let (error, base) = (OAuthError(failure), base(team.id))
        let provider = failure.exchange.map { exchange in
            FlowStep(
                .providerFailed,
                at: clock(),
                from: origin,
                cause: failure.cause,
                reason: failure.reason,
                sent: exchange.sent,
                answered: exchange.answered
            )
        }
        refuse(fields, in: team.id, cause: error.cause, origin, after: provider) { moment in
            .refusal(error, kind, of: fields, to: team, base: base, at: moment, from: origin)
        }
    }

    /// A page of a sign-in that is not there any more.
    public func refuseOver(in team: TeamID, from origin: Origin) {
        refuse([], in: team, cause: .attemptOver, origin) { moment in
            FlowStep(.attemptOver, at: moment, from: origin, cause: .attemptOver)
        }
    }

    private func refuse(
        _ fields: [FormCoding.Field],
        in team: TeamID,
        cause: RefusalCause,
        _ origin: Origin,
        after earlier: FlowStep? = nil,
        _ step: (Timestamp) -> FlowStep
    ) {
        count(.failure, cause.rawValue, of: team)
        guard allowances.mayRefuse(from: origin.ip, in: team) else { return count(.unkept, "", of: team) }
        let moment = clock()
        let step = step(moment)
        guard allowances.admits(refusal: [earlier, step].compactMap(\.self), from: origin.ip, in: team)
        else { return count(.unkept, "", of: team) }
        var flow = PendingFlow(FlowID(ofRequest: origin.requestID, at: moment))
        // A token sent in the wrong place has the shape of an identifier, too.
        flow.clientID = fields.first { $0.name == "client_id" }.flatMap { ClientID(rawValue: $0.value) }
            .flatMap { SecretKind.isFound(in: $0.rawValue) ? nil : $0 }
        flow.opening = earlier ?? step
        if earlier != nil { flow.steps = [step] }
        flow.code = fields.first { $0.name == "code" }.flatMap { AuthorizationCode($0.value) }
        stand(step, &flow)
        keep(flow, of: team)
    }
}
