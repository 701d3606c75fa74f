import HoldfastBytes
import HoldfastJSON

/// The access document: roles, the users that have them, and their rights on the objects of each class. It is not yet checked
/// against a schema (``AccessRules``).
///
///     {"users":"Person","signUp":true,"roles":{"member":{"when":"$user.object.verified == true","classes":{
///       "List":{"read":"owner == $user.id","create":"owner == $user.id","update":true,"properties":{"owner":"create"}}}}}}
package struct AccessDocument: Sendable, Equatable {
    /// A condition on an object.
    package enum Condition: Sendable, Equatable {
        case any
        /// The objects that match a filter.
        case filter(String)
    }

    /// The allowed changes of an object.
    package struct Change: Sendable, Equatable {
        /// The condition on the object before the write.
        package var before: Condition
        /// The condition on the object after the write.
        package var after: Condition
    }

    /// The rules of a role for the objects of a class; a nil rule allows nothing.
    package struct ClassRules: Sendable, Equatable {
        package var read: Condition?
        package var create: Condition?
        /// The updates that are allowed.
        package var update: Change?
        package var delete: Condition?
        /// The properties with explicit rights, in the order of the text.
        package var properties: [(name: String, right: PropertyRight)] = []

        package static func == (a: ClassRules, b: ClassRules) -> Bool {
            a.read == b.read && a.create == b.create && a.update == b.update
                && a.delete == b.delete && a.properties.elementsEqual(b.properties, by: ==)
        }
    }

    /// A role.
    package struct Role: Sendable, Equatable {
        package var name: String
        /// Whether the role also applies to anonymous visitors.
        package var isForAnyone = false
        /// The condition on the user; nil for all users.
        package var when: String?
        /// The rules, by the name of the class; ``AccessDocument/everyClass`` stands for each class that has no entry.
        package var classes: [(name: String, rules: ClassRules)] = []

        package static func == (a: Role, b: Role) -> Bool {
            a.name.isSame(as: b.name) && a.isForAnyone == b.isForAnyone && a.when == b.when
                && a.classes.elementsEqual(b.classes) {
                    $0.name.isSame(as: $1.name) && $0.rules == $1.rules
                }
        }
    }

    /// The name that stands for each class without an entry of its own, including classes that are added later.
    package static let everyClass = "*"

    /// The class of users' objects, whose keys are the users' ids; nil if users have no objects.
    package var users: String?
    /// Whether anonymous visitors may create accounts.
    package var signUp = false
    /// The roles, in the order of the text.
    package var roles: [Role] = []

    /// Whether a role applies to anonymous visitors, not only to users.
    var isForAnyone: Bool { roles.contains(where: \.isForAnyone) }

    /// The maximum size of the text, in bytes.
    package static let byteCountMax = 256 << 10

    package var text: String {
        let buffer = ByteBuffer(capacity: 1024)
        JSONWriter(buffer).object { write(to: &$0) }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Writes the members `users`, `signUp` and `roles`.
    package func write(to object: inout JSONObjectWriter) {
        if let users { object.member("users").string(users) }
        if signUp { object.member("signUp").bool(true) }
        object.member("roles").object { roles in
            for role in self.roles {
                roles.member(named: role.name).object { Self.write(role, to: &$0) }
            }
        }
    }

    private static func write(_ role: Role, to object: inout JSONObjectWriter) {
        if role.isForAnyone { object.member("for").string("anyone") }
        if let when = role.when { object.member("when").string(when) }
        object.member("classes").object { classes in
            for (name, rules) in role.classes {
                classes.member(named: name).object { write(rules, to: &$0) }
            }
        }
    }

    private static func write(_ rules: ClassRules, to object: inout JSONObjectWriter) {
        if let read = rules.read { read.write(to: object.member("read")) }
        if let create = rules.create { create.write(to: object.member("create")) }
        if let update = rules.update {
            if update.before == update.after {
                update.before.write(to: object.member("update"))
            } else {
                object.member("update").object { sides in
                    update.before.write(to: sides.member("before"))
                    update.after.write(to: sides.member("after"))
                }
            }
        }
        if let delete = rules.delete { delete.write(to: object.member("delete")) }
        if rules.properties.isEmpty { return }
        object.member("properties").object { properties in
            for (name, right) in rules.properties {
                properties.member(named: name).string(right.rawValue)
            }
        }
    }
}

extension AccessDocument.Condition {
    fileprivate func write(to writer: JSONWriter) {
        switch self {
        case .any: writer.bool(true)
        case .filter(let text): writer.string(text)
        }
    }

    /// The text of the filter; `true` for any object.
    package var text: String {
        switch self {
        case .any: "true"
        case .filter(let text): text
        }
    }
}
