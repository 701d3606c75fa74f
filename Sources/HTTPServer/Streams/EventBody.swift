/// The body of a reply that is pushed: a stream that has no socket is closed with the last reference to this.
package final class EventBody: Sendable {
    let stream: EventStream

    init(_ stream: EventStream) { self.stream = stream }

    deinit { stream.closeUnlessAttached() }
}
