import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// Whether a user is let in, by whatever they come with.
package struct UserAccess: Sendable, Equatable {
    /// Their id.
    package let id: String
    /// Whether they are blocked.
    package private(set) var isBlocked: Bool
    /// Whole seconds; what they signed in with before is void. Nil for no such time.
    package private(set) var signedInAfter: Timestamp?

    /// A user who is let in.
    ///
    /// - Throws: ``RequestFault`` `.invalid` for what is no user's id.
    package init(id: String) throws(RequestFault) {
        guard TokenMembers.isUser(id) else {
            throw .single(
                .invalid, "invalid-user",
                "A user's id is a text of 1 to \(TokenMembers.userByteCountMax) bytes without control characters.",
                parameter: "id")
        }
        self.id = id
        isBlocked = false
        signedInAfter = nil
    }

    init(_ record: UserRecord) {
        id = record.id
        isBlocked = record.isBlocked
        signedInAfter =
            record.signedInAfter == .min
            ? nil : Timestamp(seconds: record.signedInAfter, nanoseconds: 0)
    }

    /// Reads a body such as `{"blocked":true}` or `{"signedInAfter":"2027-01-31T00:00:00Z"}`; what it leaves out does not hold.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for another shape, `.invalid` for what is no user or no time.
    package init(id: String, _ body: JSONValue) throws(RequestFault) {
        self = try UserAccess(id: id)
        guard body.kind == .object, body.repeatedName == nil else { throw Self.malformed }
        var isBlocked = false
        var signedInAfter: Timestamp?
        for member in body.members {
            switch String(decoding: member.name, as: UTF8.self) {
            case "blocked":
                guard let flag = member.value.bool else { throw Self.malformed }
                isBlocked = flag
            case "signedInAfter":
                if member.value.isNull { continue }
                // The second behind the last of 9999 has no text.
                guard let text = member.value.stringBytes, let time = Timestamp(rfc3339: text),
                    time.seconds < Timestamp.secondsEnd - 1
                else {
                    throw .single(
                        .invalid, "invalid-user",
                        "'signedInAfter' is a time such as 2027-01-31T00:00:00Z, or null for none.",
                        pointer: "/signedInAfter")
                }
                // Tokens are issued in whole seconds: one of the same second may be older.
                signedInAfter = Timestamp(
                    seconds: time.seconds + (time.nanoseconds > 0 ? 1 : 0), nanoseconds: 0)
            default: throw Self.malformed
            }
        }
        self.isBlocked = isBlocked
        self.signedInAfter = signedInAfter
    }

    /// Seconds since 1970; what they signed in with before is void. The earliest time where nothing is, the latest where all is.
    package var horizon: Int64 {
        isBlocked ? .max : signedInAfter?.seconds ?? .min
    }

    /// The record of it; nil where they are let in by whatever they come with.
    var record: UserRecord? {
        guard isBlocked || signedInAfter != nil else { return nil }
        return UserRecord(
            id: id, isBlocked: isBlocked, signedInAfter: signedInAfter?.seconds ?? .min)
    }

    /// Writes the members `id`, `blocked` and, where there is one, `signedInAfter`.
    package func write(to object: inout JSONObjectWriter) {
        object.member("id").string(id)
        object.member("blocked").bool(isBlocked)
        if let signedInAfter { object.member("signedInAfter").string(signedInAfter.description) }
    }

    private static let malformed = RequestFault(
        .malformed, "invalid-body",
        "The body is a JSON object with 'blocked' or 'signedInAfter' or both, and nothing else, such as "
            + "{\"blocked\":true}.")
}
