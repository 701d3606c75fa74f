import HoldfastBytes

/// An identity of request targets that does not depend on percent-encoding: the segments, and the parameters in their order.
package struct TargetIdentity {
    /// The decoded segments of the path.
    package let segments: [String]
    /// Bytes that are equal only for equal targets.
    package let bytes: [UInt8]

    /// Reads a target that begins with its path; nil if a client could not send it.
    ///
    /// - `name`: A parameter that is ignored.
    package init?(_ text: String, leavingOut name: StaticString) {
        guard text.utf8.first == UInt8(ascii: "/"), !text.utf8.contains(0) else { return nil }
        var target = Target()
        var text = text
        guard text.withUTF8({ target.load($0) }), (try? target.parse()) != nil else { return nil }
        self.init(target, leavingOut: name)
    }

    fileprivate init(_ target: borrowing Target, leavingOut name: StaticString) {
        let identity = ByteBuffer(capacity: 2 * target.rawCount + 64)
        // The length in front keeps one piece from being equal to two.
        func append(_ piece: RequestText) {
            identity.append(little: UInt64(piece.count))
            identity.append(UnsafeRawBufferPointer(piece.bytes))
        }
        identity.append(little: UInt64(target.segments.count))
        for segment in target.segments { append(segment) }
        for (known, value) in target.query where known != name {
            append(known)
            append(value)
        }
        segments = target.segments.map(\.string)
        bytes = identity.array
    }
}

extension Request {
    /// Returns the identity of the target without one parameter.
    ///
    /// - `name`: A parameter that is ignored.
    package func identity(leavingOut name: StaticString) -> TargetIdentity {
        TargetIdentity(target, leavingOut: name)
    }
}
