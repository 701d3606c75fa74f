import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel

/// The access document: roles, whom they are for, and what they allow with the objects of each class. Its texts are not checked
/// against a schema (``AccessRules``).
///
///     {"users":"Person","signUp":true,"roles":{"member":{"when":"$user.object.verified == true","classes":{
///       "List":{"read":"owner == $user.id","create":"owner == $user.id","update":true,"properties":{"owner":"create"}}}}}}
package struct AccessDocument: Sendable, Equatable {
    /// A condition on an object.
    package enum Condition: Sendable, Equatable {
        /// Any object.
        case any
        /// The objects that a filter admits.
        case filter(String)
    }

    /// Which changes of an object are allowed: by what it is before, and by what it is afterwards.
    package struct Change: Sendable, Equatable {
        /// The condition on the object before the write.
        package var before: Condition
        /// The condition on the object after the write.
        package var after: Condition
    }

    /// The rules of a role for the objects of a class; nil is nothing.
    package struct ClassRules: Sendable, Equatable {
        /// The objects that are seen.
        package var read: Condition?
        /// The objects that may be created.
        package var create: Condition?
        /// The changes that may be made.
        package var update: Change?
        /// The objects that may be deleted.
        package var delete: Condition?
        /// The properties whose right is stated, in the order of the text.
        package var properties: [(name: String, right: PropertyRight)] = []

        package static func == (a: ClassRules, b: ClassRules) -> Bool {
            a.read == b.read && a.create == b.create && a.update == b.update
                && a.delete == b.delete && a.properties.elementsEqual(b.properties, by: ==)
        }
    }

    /// A role.
    package struct Role: Sendable, Equatable {
        /// The name.
        package var name: String
        /// Whether it is for everybody, and not for users alone.
        package var isForAnyone = false
        /// The condition on the user; nil for none.
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

    /// The name that stands for each class without an entry of its own, those that come later too.
    package static let everyClass = "*"

    /// The class whose objects are the users', by their keys; nil where users have none.
    package var users: String?
    /// Whether anybody may make an account.
    package var signUp = false
    /// The roles, in the order of the text.
    package var roles: [Role] = []

    /// Whether a role is for anyone, and not for users alone.
    var isForAnyone: Bool { roles.contains(where: \.isForAnyone) }

    /// The most bytes of its text.
    package static let byteCountMax = 256 << 10

    /// The text of the document.
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

    /// The text of the filter; `true` where it has none.
    package var text: String {
        switch self {
        case .any: "true"
        case .filter(let text): text
        }
    }
}
