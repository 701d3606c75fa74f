import HoldfastAccess
import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// An admin's question about rules: the rights of a user, and the rights to an object.
///
///     {"user":"ann","claims":{"groups":["editor"]},"class":"Task","key":7}
///
/// Claims may name the user themselves, as in a JSON Web Token (`sub`). Without a user it is about anonymous visitors, and
/// without a class about roles alone.
package struct AccessQuestion: Sendable {
    private let principal: Principal
    private let className: String?
    /// As JSON.
    private let key: [UInt8]?

    /// Reads a question.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for another shape, `.invalid` for claims that are of no user.
    package init(_ body: JSONValue) throws(RequestFault) {
        guard body.kind == .object, body.repeatedName == nil else { throw Self.malformed }
        var user: String?
        var claims = Claims.none
        var subject: String?
        var className: String?
        var key: [UInt8]?
        for member in body.members {
            let value = member.value
            switch String(decoding: member.name, as: UTF8.self) {
            case "user":
                guard value.isNull || value.string.map(TokenMembers.isUser) ?? false else {
                    throw Self.malformed
                }
                user = value.string
            case "claims":
                claims = try Claims(value)
                subject = value.member(named: "sub")?.string
            case "class":
                guard let name = value.string else { throw Self.malformed }
                className = name
            case "key":
                let text = ByteBuffer(capacity: 64)
                JSONWriter(text).copy(value)
                key = text.array
            default: throw Self.malformed
            }
        }
        if user == nil, let subject, TokenMembers.isUser(subject) { user = subject }
        guard (className == nil) == (key == nil), user != nil || claims == .none else {
            throw Self.malformed
        }
        principal = Principal(user: user, claims: claims)
        self.className = className
        self.key = key
    }

    /// Answers it on a view of everything.
    ///
    /// - Throws: ``RequestFault`` `.notFound` for a class or an object that is not there, or where there is no document,
    ///   `.malformed` for a value that is no key of the class.
    package func answer(
        _ control: AccessControl, _ read: ReadTransaction, _ served: ServedStore,
        to writer: JSONWriter
    ) throws(RequestFault) {
        guard let rules = try control.rules(for: read.rows) else { throw .noAccessDocument }
        let object = try object(read, served)
        let explanation = try served.mappingStoreErrors(
            AccessExplanation(rules, principal, on: read.unrestricted))
        let stored = StoredTokens(served.store, fault: served.fault)
        let access = try principal.user.flatMap { id throws(RequestFault) in try stored.user(id) }
        explanation.write(object, access, to: writer)
    }

    private func object(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> AccessExplanation.Object? {
        guard let className, let key else { return nil }
        guard let rowClass = read.rows.rowClass(named: className),
            rowClass.definition.kind == .object
        else { throw served.fault(.unknownClass(RequestFault.shown(className))) }
        let text = ByteBuffer(capacity: key.count)
        text.append(key)
        let found = try ObjectAddress.Key.json(text.bytes)
            .find(of: rowClass, read, .current, served)
        withExtendedLifetime(text) {}
        return (rowClass, found.key, found.row)
    }

    private static let malformed = RequestFault(
        .malformed, "invalid-body",
        "The body is a JSON object with 'user', with 'claims' or with both; claims without 'user' have 'sub', and neither means an anonymous visitor. "
            + "'class' needs 'key', such as {\"user\":\"ann\",\"class\":\"Task\",\"key\":7}.")
}

extension RequestFault {
    package static let noAccessDocument = RequestFault(
        .notFound, "no-access-document",
        "There is no access document that is valid in the schema; PUT /v1/access sets one.")
}

extension AccessQuestion {
    /// Writes a question from the arguments of a command line.
    ///
    /// - `key`: JSON; other text is a string.
    /// - Throws: ``RequestFault`` `.invalid` as ``Claims/init(assignments:)``.
    package static func json(
        user: String?, claims: [String], className: String?, key: String?
    ) throws(RequestFault) -> [UInt8] {
        let claims = claims.isEmpty ? nil : try Claims(assignments: claims)
        let buffer = ByteBuffer(capacity: 256)
        JSONWriter(buffer).object { object in
            if let user { object.member("user").string(user) }
            if let claims { claims.write(to: object.member("claims")) }
            if let className { object.member("class").string(className) }
            if let key {
                let bytes = Array(key.utf8)
                let isJSON = bytes.withUnsafeBytes { (try? JSONParser().parse($0)) != nil }
                let writer = object.member("key")
                if isJSON {
                    bytes.withUnsafeBytes { writer.raw($0) }
                } else {
                    writer.string(key)
                }
            }
        }
        return buffer.array
    }
}
