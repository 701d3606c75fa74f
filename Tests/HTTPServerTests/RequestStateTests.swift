import Testing

@testable import HoldfastHTTPServer

/// A request's ways from its line to its end, without a socket.
@Suite struct RequestStateTests {
    private static func name(_ step: RequestState.Step) -> String {
        switch step {
        case .begin: "begin"
        case .take: "take"
        case .finish: "finish"
        case .leave: "leave"
        case .drop(let response): "drop \(response.status)"
        case .tell(let response, let isLast, let isBegun):
            "tell \(response.status)\(isLast ? " last" : "")\(isBegun ? "" : " and begin")"
        case .cut(let response): "cut \(response.status)"
        case .answer(.instead(let response)): "instead \(response.status)"
        case .answer(.ready(let response)): "answer \(response.status)"
        case .answer: "answer"
        case .nothing: "nothing"
        }
    }

    /// A state and its changes.
    private final class Subject {
        private var state = RequestState.idle

        func step(hasBytes: Bool = false) -> String { name(state.next(hasBytes: hasBytes)) }
        func after<Result>(_ event: (inout RequestState) -> Result) -> Result { event(&state) }
    }

    private static func receiving(until admission: Admission? = nil) -> Subject {
        let subject = Subject()
        subject.after { $0.begin() }
        subject.after { $0.receive(until: admission) }
        return subject
    }

    @Test("a request is begun, received, finished and answered once")
    func usual() {
        let subject = Subject()
        #expect(subject.step() == "nothing")
        subject.after { $0.begin() }
        #expect(subject.step() == "begin")
        subject.after { $0.receive(until: nil) }
        #expect(subject.step(hasBytes: true) == "take")
        #expect(subject.step() == "finish")
        subject.after { $0.wait(until: nil) }
        #expect(subject.after { $0.isWaiting })
        #expect(subject.after { $0.answer(.ready(Response(201))) })
        #expect(!subject.after { $0.answer(.ready(Response(202))) })
        #expect(!subject.after { $0.isWaiting })
        #expect(subject.step() == "answer 201")
        #expect(subject.step() == "nothing")
        subject.after { $0.send(nil) }
        let ending = subject.after { $0.end(nil) }
        #expect(ending.isCounted && ending.wasBegun && ending.refusal == nil)
        #expect(!subject.after { $0.answer(.dropped) })
    }

    @Test("a pause waits for its going on, which may come first")
    func pauses() {
        let subject = Self.receiving()
        #expect(subject.after { $0.pause() })
        #expect(subject.step(hasBytes: true) == "leave")
        #expect(!subject.after { $0.pause() })
        #expect(subject.after { $0.resume() })
        #expect(!subject.after { $0.resume() })
        #expect(!subject.after { $0.pause() })
        #expect(subject.step(hasBytes: true) == "take")
        #expect(subject.after { $0.pause() })
        #expect(subject.after { $0.refuse(Response(422), readsBody: true) } == .read(resumes: true))
        #expect(!subject.after { $0.resume() })
        #expect(subject.step(hasBytes: true) == "drop 422")
        #expect(subject.step() == "tell 422")
    }

    @Test(
        "a refusal is told behind a body that is read, and at once otherwise; the first one counts")
    func refusals() {
        let subject = Subject()
        subject.after { $0.begin() }
        #expect(subject.after { $0.refuse(Response(413), readsBody: false) } == .sendNow)
        #expect(
            subject.after { $0.refuse(Response(404), readsBody: true) } == .read(resumes: false))
        #expect(
            subject.after { $0.refuse(Response(400), readsBody: true) } == .read(resumes: false))
        subject.after { $0.receive(until: nil) }
        #expect(subject.step(hasBytes: true) == "drop 404")
        #expect(subject.step() == "tell 404")
    }

    @Test("what breaks into a request is its last reply, told as libmicrohttpd allows")
    func interruptions() {
        let reply = { Response(503) }
        let head = Subject()
        #expect(head.after { $0.interrupt(reply) } == [])
        head.after { $0.begin() }
        #expect(head.after { $0.interrupt(reply) } == .shutReceiving)
        #expect(head.after { $0.interrupt({ Response(408) }) } == [])
        let ending = head.after { $0.end(nil) }
        #expect(ending.refusal?.status == 503 && !ending.wasBegun && !ending.isCounted)
        // Its head became whole meanwhile: it counts as under way, as its end takes for granted.
        head.after { $0.begin() }
        _ = head.after { $0.interrupt(reply) }
        #expect(head.step() == "tell 503 last and begin")
        head.after { $0.send(nil) }
        let told = head.after { $0.end(nil) }
        #expect(told.refusal == nil && told.wasBegun && told.isCounted)

        // Interrupted while its head is looked at, it has begun already.
        head.after { $0.begin() }
        #expect(head.step() == "begin")
        _ = head.after { $0.interrupt(reply) }
        #expect(head.step() == "tell 503 last")

        let body = Self.receiving()
        #expect(body.after { $0.interrupt(reply) } == .shutReceiving)
        #expect(body.step(hasBytes: true) == "cut 503")
        body.after { $0.cut() }
        #expect(body.after { $0.end(nil) }.isCounted)

        let refused = Self.receiving()
        _ = refused.after { $0.refuse(Response(422), readsBody: true) }
        #expect(refused.after { $0.interrupt(reply) } == .shutReceiving)
        #expect(refused.after { $0.end(nil) }.refusal?.status == 422)

        let paused = Self.receiving()
        _ = paused.after { $0.pause() }
        #expect(paused.after { $0.interrupt(reply) } == [.resume, .shutReceiving])
        #expect(paused.step(hasBytes: true) == "cut 503")

        let waiting = Self.receiving()
        waiting.after { $0.wait(until: nil) }
        #expect(waiting.after { $0.interrupt(reply) } == .resume)
        #expect(!waiting.after { $0.answer(.ready(Response(200))) })
        #expect(waiting.after { $0.interrupt(reply) } == [])
        #expect(waiting.step() == "instead 503")
    }

    @Test("the end of an epoch ends the work that was begun in it, but for what outlives it")
    func epochs() {
        let (grant, epoch) = (Grant(owner: 0), WorkEpoch())
        var before = Admission(grant)
        before.end(with: epoch)
        var stream = before
        stream.outliveEpochs()
        epoch.end()
        var later = Admission(grant)
        later.end(with: epoch)
        #expect([before, stream, later].map(\.ending) == [.lowered, nil, nil])
        grant.end(.revoked)
        #expect([before, stream, later].map(\.ending) == [.revoked, .revoked, .revoked])
    }

    @Test("the end of a grant ends what it admitted, and an overdue body is broken off")
    func watch() {
        let grant = Grant(owner: 0)
        let admission = Admission(grant)
        let refusal: (Grant.End) -> Response = { _ in Response(401) }
        let waiting = Self.receiving(until: admission)
        #expect(waiting.after { $0.watch(refusal) } == [])
        waiting.after { $0.wait(until: admission) }
        let body = Self.receiving(until: admission)
        let writing = Self.receiving(until: nil)
        let pieces = Self.receiving(until: nil)
        pieces.after {
            $0.send(RequestState.Pieces(admission: admission, isOverdue: nil))
        }
        let whole = Self.receiving(until: nil)
        whole.after { $0.send(nil) }
        #expect(pieces.after { $0.watch(refusal) } == [])
        grant.end(.revoked)
        #expect(waiting.after { $0.watch(refusal) } == .resume)
        #expect(waiting.step() == "instead 401")
        #expect(body.after { $0.watch(refusal) } == .shutReceiving)
        #expect(writing.after { $0.watch(refusal) } == [])
        #expect(pieces.after { $0.watch(refusal) } == .shut)
        #expect(whole.after { $0.watch(refusal) } == [])
        let overdue = Self.receiving(until: nil)
        overdue.after {
            $0.send(RequestState.Pieces(admission: nil, isOverdue: { true }))
        }
        #expect(overdue.after { $0.watch(refusal) } == .shut)
    }

    @Test("a request that libmicrohttpd gives up is told so, unless its reply has begun")
    func givenUp() {
        let late = Response(408)
        let head = Subject()
        head.after { $0.begin() }
        #expect(head.after { $0.end(late) }.refusal?.status == 408)
        let body = Self.receiving()
        let ending = body.after { $0.end(late) }
        #expect(ending.refusal?.status == 408 && ending.isCounted)
        let refused = Self.receiving()
        _ = refused.after { $0.refuse(Response(422), readsBody: true) }
        #expect(refused.after { $0.end(late) }.refusal?.status == 422)
        let sending = Self.receiving()
        sending.after { $0.send(nil) }
        #expect(sending.after { $0.end(late) }.refusal == nil)
        let stream = Self.receiving()
        stream.after { $0.detach() }
        let end = stream.after { $0.end(nil) }
        #expect(!end.isCounted && end.wasBegun)
    }
}
