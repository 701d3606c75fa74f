/// The body of a reply that is pushed: a stream that has no socket when nobody holds this any more is closed.
package final class EventBody: Sendable {
    let stream: EventStream

    init(_ stream: EventStream) { self.stream = stream }

    deinit { stream.closeUnlessAttached() }
}
