import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel

/// The members of a JSON object that describes a new token, or a change of a token.
///
///     {"name":"reports","right":"read","user":"ann","claims":{"groups":["editor"]},"expires":"2027-01-31T00:00:00Z"}
///
/// `"expires": null` means that the token never expires.
package struct TokenMembers: Sendable, Equatable {
    /// The expiry of a token.
    package enum Expiry: Sendable, Equatable {
        /// The token does not expire.
        case never
        /// The token expires at a time.
        case at(Timestamp)

        /// Expires in at least so many seconds, rounded up to a whole second; nil if that is after the year 9999.
        package init?(after seconds: Int) {
            let now = Timestamp.now()
            let start = now.seconds + (now.nanoseconds > 0 ? 1 : 0)
            let (end, isTooLate) = start.addingReportingOverflow(Int64(seconds))
            guard !isTooLate, end < Timestamp.secondsEnd else { return nil }
            self = .at(Timestamp(seconds: end, nanoseconds: 0))
        }
    }

    /// The name; nil if it is omitted. The same applies to the other members.
    package var name: String?
    package var right: Right?
    /// The id of the user.
    package var user: String?
    /// The claims about the user.
    package var claims: Claims?
    /// The only classes that the token may use; empty for all.
    package var classes: [String]?
    package var expiry: Expiry?

    /// The maximum size of a user's id, in bytes.
    package static let userByteCountMax = 255

    package init(
        name: String? = nil, right: Right? = nil, user: String? = nil, claims: Claims? = nil,
        classes: [String]? = nil, expiry: Expiry? = nil
    ) {
        self.name = name
        self.right = right
        self.user = user
        self.claims = claims
        self.classes = classes
        self.expiry = expiry
    }

    /// Reads an object.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for another shape or an unknown member, `.invalid` if a value has the wrong type.
    package init(_ body: JSONValue) throws(RequestFault) {
        guard body.kind == .object, body.repeatedName == nil else { throw Self.malformed }
        for member in body.members {
            let value = member.value
            switch String(decoding: member.name, as: UTF8.self) {
            case "name":
                guard let text = value.string else { throw Self.malformed }
                name = text
            case "right":
                guard let known = value.string.flatMap({ Right(rawValue: $0) }) else {
                    throw Self.invalid(
                        "A token's right is metrics, read, write or admin.", "/right")
                }
                right = known
            case "user":
                guard let text = value.string else { throw Self.invalidUser }
                user = text
            case "claims": claims = try Claims(value)
            case "classes": classes = try Self.classes(value)
            case "expires": expiry = try Self.expiry(value)
            default: throw Self.malformed
            }
        }
    }

    /// Refuses a time in the past. That is a mistake if the client gave it as a time.
    package func checkEnd() throws(RequestFault) {
        if case .at(let end) = expiry, end <= .now() {
            throw Self.invalid("'expires' is in the past.", "/expires")
        }
    }

    /// The terms of a new token.
    ///
    /// - Throws: ``RequestFault`` `.invalid` if the name or right is missing, if a value is not allowed, or for claims without a
    ///   user.
    package func new() throws(RequestFault) -> (name: String, terms: TokenTerms) {
        guard let name, let right else {
            let part = name == nil ? "name" : "right"
            throw Self.invalid(
                "A token needs a name and a right; '\(part)' is missing.", "/" + part)
        }
        if let user, !Self.isUser(user) { throw Self.invalidUser }
        var terms = TokenTerms(right, user: user)
        try apply(to: &terms)
        return (name, terms)
    }

    /// Changes the terms of a token.
    ///
    /// - Throws: ``RequestFault`` `.invalid` if a member cannot be changed, or if there are no changes.
    package func change(_ terms: inout TokenTerms) throws(RequestFault) {
        guard name == nil, user == nil,
            right != nil || claims != nil || classes != nil || expiry != nil
        else {
            throw Self.invalid(
                "Only the right, claims, classes and expiry of a token can be changed, as in "
                    + "{\"right\":\"read\"}.",
                name != nil ? "/name" : user != nil ? "/user" : "/right")
        }
        try apply(to: &terms)
    }

    private func apply(to terms: inout TokenTerms) throws(RequestFault) {
        if let right { terms.right = right }
        switch expiry {
        case .never: terms.end = nil
        case .at(let end): terms.end = end
        case nil: break
        }
        if let classes { terms.classes = try Self.checked(classes) }
        guard terms.classes.isEmpty || terms.right < .admin else {
            throw Self.invalid(
                "The right 'admin' is for the whole store: a token for some classes has the right metrics, read or write.",
                "/classes")
        }
        guard let claims else { return }
        guard claims == .none || terms.user != nil else {
            throw Self.invalid("'claims' needs 'user' beside it.", "/claims")
        }
        terms.claims = claims
    }

    package func write(to writer: JSONWriter) {
        writer.object { object in
            if let name { object.member("name").string(name) }
            if let right { object.member("right").string(right.rawValue) }
            if let user { object.member("user").string(user) }
            if let claims { claims.write(to: object.member("claims")) }
            if let classes { object.member("classes").strings(classes) }
            switch expiry {
            case .never: object.member("expires").null()
            case .at(let end): object.member("expires").string(end.description)
            case nil: break
            }
        }
    }

    /// The text of the object.
    package var json: [UInt8] {
        let buffer = ByteBuffer(capacity: 256)
        write(to: JSONWriter(buffer))
        return buffer.array
    }

    /// Whether a text can be a user's id.
    package static func isUser(_ text: String) -> Bool {
        (1...userByteCountMax).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
            }
    }

    /// The maximum number of a token's classes.
    package static let classCountMax = 100

    private static func classes(_ value: JSONValue) throws(RequestFault) -> [String] {
        let names = value.kind == .array ? value.elements.compactMap(\.string) : []
        guard value.kind == .array, names.count == value.count else { throw invalidClasses }
        return names
    }

    private static func checked(_ names: [String]) throws(RequestFault) -> [String] {
        guard names.count <= classCountMax,
            names.allSatisfy({ (1...userByteCountMax).contains($0.utf8.count) }),
            Set(names).count == names.count
        else { throw invalidClasses }
        return names
    }

    private static func expiry(_ value: JSONValue) throws(RequestFault) -> Expiry {
        if value.isNull { return .never }
        guard let text = value.stringBytes, let end = Timestamp(rfc3339: text) else {
            throw invalid(
                "'expires' is a time such as 2027-01-31T00:00:00Z, or null for never.", "/expires")
        }
        // Expiry times are stored in seconds.
        return .at(Timestamp(seconds: end.seconds, nanoseconds: 0))
    }

    private static func invalid(_ detail: String, _ pointer: String) -> RequestFault {
        .single(.invalid, "invalid-token", detail, pointer: pointer)
    }

    private static let invalidUser = invalid(
        "A user's id is a text of 1 to \(userByteCountMax) bytes without control characters.",
        "/user")

    private static let invalidClasses = invalid(
        "'classes' has the names of at most \(classCountMax) classes, each once; an empty array means all classes.",
        "/classes")

    private static let malformed = RequestFault(
        .malformed, "invalid-body",
        "The body is a JSON object with 'name' and 'right', optionally 'user', 'claims', 'classes' and 'expires', and nothing "
            + "else, such as {\"name\":\"reports\",\"right\":\"read\"}.")
}
