import HoldfastJSON
import HoldfastObjectJSON
import HoldfastText

/// Reads an access document from JSON and collects every fault with its pointer. Unknown members are faults, because a misspelt
/// member would allow too much or too little.
package struct AccessReader: DefinitionReader {
    package var faults = FaultList()

    /// A document that was read.
    package struct Stated {
        package var document: AccessDocument
        /// The revision that the document is based on, if it is given.
        package var revision: UInt64?

        package init(_ document: AccessDocument, revision: UInt64? = nil) {
            self.document = document
            self.revision = revision
        }
    }

    /// Reads a document.
    ///
    /// - Throws: ``RequestFault`` with all faults: `.malformed` for repeated names, otherwise `.invalid`.
    package static func read(_ root: JSONValue) throws(RequestFault) -> Stated {
        var reader = AccessReader()
        let stated = reader.document(root)
        guard reader.faults.isEmpty else {
            throw .definition("invalid-access", reader.faults, "The access document has faults.")
        }
        return stated
    }

    /// Reads the text of a document, such as the stored one.
    package static func read(text: String) throws(RequestFault) -> AccessDocument {
        let parser = JSONParser()
        // Parsed values are valid as long as their parser exists.
        defer { withExtendedLifetime(parser) {} }
        return try read(parser.value(of: Array(text.utf8))).document
    }

    private mutating func document(_ root: JSONValue) -> Stated {
        var stated = Stated(AccessDocument())
        var hasRoles = false
        // A client may send the warnings of a reply back with the document.
        members(root, JSONPointer(), ["revision", "users", "signUp", "roles", "warnings"]) {
            reader, name, value, pointer in
            switch name {
            case "revision": stated.revision = reader.readNumber(value, pointer)
            case "users": stated.document.users = reader.readText(value, pointer)
            case "signUp": stated.document.signUp = reader.readFlag(value, pointer) ?? false
            case "roles":
                hasRoles = true
                guard value.kind == .object else { return reader.fault(pointer, Self.rolesForm) }
                reader.members(value, pointer, nil) { reader, name, value, pointer in
                    stated.document.roles.append(reader.role(name, value, pointer))
                }
            default: break
            }
        }
        if !hasRoles, root.kind == .object, !faults.entries.contains(where: { $0.hint == "roles" })
        {
            fault(
                JSONPointer(), "missing-member",
                "An access document has the member 'roles'. " + Self.rolesForm)
        }
        return stated
    }

    private static let rolesForm =
        "'roles' is an object by the names of roles, such as {\"roles\": {\"member\": "
        + "{\"classes\": {\"Trip\": {\"read\": true}}}}}."

    private mutating func role(
        _ name: String, _ value: JSONValue, _ pointer: JSONPointer
    ) -> AccessDocument.Role {
        var role = AccessDocument.Role(name: name)
        if !Token.isName(name) {
            fault(pointer, "A role's name has up to 64 letters, digits, '.', '_', '-' and '@'.")
        }
        members(value, pointer, ["for", "when", "classes"]) { reader, name, value, pointer in
            switch name {
            case "for":
                guard value.string == "anyone" else {
                    return reader.fault(
                        pointer, "A role is for users. With \"anyone\" it is for visitors too.",
                        hint: "anyone")
                }
                role.isForAnyone = true
            case "when": role.when = reader.readText(value, pointer)
            default:
                reader.members(value, pointer, nil) { reader, name, value, pointer in
                    role.classes.append((name, reader.rules(value, pointer)))
                }
            }
        }
        return role
    }

    private mutating func rules(
        _ value: JSONValue, _ pointer: JSONPointer
    ) -> AccessDocument.ClassRules {
        var rules = AccessDocument.ClassRules()
        let known = AccessAction.allCases.map(\.rawValue) + ["properties"]
        members(value, pointer, nil) { reader, name, value, pointer in
            switch AccessAction(rawValue: name) {
            case .read: rules.read = reader.condition(value, pointer)
            case .create: rules.create = reader.condition(value, pointer)
            case .update: rules.update = reader.change(value, pointer)
            case .delete: rules.delete = reader.condition(value, pointer)
            case nil where name != "properties":
                if let actions = Self.foreignActions[name] {
                    reader.unknownAction(name, pointer, actions)
                } else {
                    reader.unknownMember(name, pointer, known)
                }
            case nil:
                reader.members(value, pointer, nil) { reader, name, value, pointer in
                    guard let text = value.string, let right = PropertyRight(rawValue: text) else {
                        let rights = PropertyRight.allCases.map(\.rawValue)
                        return reader.fault(
                            pointer, "The right of a property is none, read, create or write.",
                            hint: value.string.flatMap { NearestName.of($0, among: rights) })
                    }
                    rules.properties.append((name, right))
                }
            }
        }
        return rules
    }

    /// The actions of other products, and the actions that they are here.
    private static let foreignActions: [String: [AccessAction]] = [
        "list": [.read], "view": [.read], "get": [.read], "find": [.read], "select": [.read],
        "insert": [.create], "add": [.create], "edit": [.update], "modify": [.update],
        "remove": [.delete], "write": [.create, .update, .delete],
    ]

    private mutating func unknownAction(
        _ name: String, _ pointer: JSONPointer, _ actions: [AccessAction]
    ) {
        let names = actions.map { "'\($0.rawValue)'" }
        let list =
            (names.count > 1 ? names.dropLast().joined(separator: ", ") + " and " : "")
            + (names.last ?? "")
        fault(
            pointer, "unknown-member", "There is no action '\(name)'; it is \(list) here.",
            hint: actions.count == 1 ? actions[0].rawValue : nil)
    }

    private mutating func change(
        _ value: JSONValue, _ pointer: JSONPointer
    ) -> AccessDocument.Change? {
        guard value.kind == .object else {
            return condition(value, pointer).map { AccessDocument.Change(before: $0, after: $0) }
        }
        var before: AccessDocument.Condition?
        var after: AccessDocument.Condition?
        members(value, pointer, ["before", "after"]) { reader, name, value, pointer in
            let condition = reader.condition(value, pointer)
            if name == "before" { before = condition } else { after = condition }
        }
        guard let before, let after else {
            fault(pointer, "An update has both 'before' and 'after', or is one filter for both.")
            return nil
        }
        return AccessDocument.Change(before: before, after: after)
    }

    private mutating func condition(
        _ value: JSONValue, _ pointer: JSONPointer
    ) -> AccessDocument.Condition? {
        if value.bool == true { return .any }
        if let text = value.string { return .filter(text) }
        fault(
            pointer,
            "An allowed action has the value true, or a filter as text. Leave the member out to refuse the action."
        )
        return nil
    }

    /// Passes the known members of an object to `body`, and reports the others. All members are known if `known` is nil.
    private mutating func members(
        _ object: JSONValue, _ pointer: JSONPointer, _ known: [String]?,
        _ body: (inout AccessReader, String, JSONValue, JSONPointer) -> Void
    ) {
        guard object.kind == .object else { return fault(pointer, "Expected an object.") }
        forEachMember(object, pointer, known, body)
    }

    private mutating func fault(_ pointer: JSONPointer, _ detail: String, hint: String? = nil) {
        fault(pointer, "wrong-type", detail, hint: hint)
    }

    package static func shown(_ name: String) -> String { RequestFault.shown(name) }
}
