import HoldfastBytes
import HoldfastQuery

/// The name of a view: a keyed hash of the facts that decide on its principal's read access. It is the same in every process.
///
/// The facts are the classes that the view is limited to, the revision of the document that set its rules, the active roles, the
/// values that their `read` rules compare with, and the classes of which these rules allow nothing. Names of classes and
/// properties, their order, and classes that are added later are not part of it.
struct ViewMark: Hashable, Sendable {
    /// The name: 16 characters of 6 bits each, since it is the key of ``ViewTag``.
    let text: String
    /// A second name, from which the first cannot be derived. Clients get it in their page cursors.
    let number: UInt64

    /// Names a view.
    ///
    /// - Parameters:
    ///   - view: The view, limited to its classes.
    ///   - rules: The rules that the view was made by; nil if no document decided.
    ///   - user: The facts that the view was made from; nil if no document decided.
    ///   - key: A secret of the store, so that the name does not reveal the facts.
    init(of view: AccessView, by rules: AccessRules?, for user: (some UserFacts)?, key: [UInt8]) {
        let message = ByteBuffer(capacity: 256)
        message.append("holdfast view 1" as StaticString)
        for name in view.classes.texts { message.append("\(name.utf8.count),\(name)") }
        if let rules, let user { Self.append(view, by: rules, for: user, to: message) }
        // If the library fails, the name is random: no other process makes the same one.
        let code =
            message.authenticationCode(under: key) ?? (0..<32).map { _ in .random(in: 0 ... .max) }
        (text, number) = code.withUnsafeBytes {
            (
                Base64.urlText(of: UnsafeRawBufferPointer(rebasing: $0[..<12])),
                $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            )
        }
    }

    private static func append(
        _ view: AccessView, by rules: AccessRules, for user: some UserFacts, to message: ByteBuffer
    ) {
        message.append(little: view.revision)
        // Classes in the order of their creation, so that a later class with a rule for all classes adds nothing new.
        let order = rules.schema.classes.indices.sorted {
            rules.schema.classes[$0].number < rules.schema.classes[$1].number
        }
        for role in view.roles {
            message.append("\(role.name.debugDescription):")
            let conditions = rules.roles.first { $0.name == role.name }?.classes ?? []
            var references: [UserReference: Int] = [:]
            var appended: Set<Int> = []
            for index in order {
                guard let rule = conditions[index]?.read?.rule else { continue }
                for reference in rule.references where references[reference] == nil {
                    references[reference] = references.count
                }
                // A rule allows nothing if the user lacks a value that it names, or if a schema change has made it impossible.
                // The rest of the rule does not matter then.
                guard let own = role.classes[index], own.read != .constant(false) else {
                    message.append("!\(rules.schema.classes[index].number),")
                    continue
                }
                for reference in rule.references {
                    guard let number = references[reference], appended.insert(number).inserted
                    else { continue }
                    let value = "\(String(describing: user.value(of: reference)))"
                    message.append("\(number):\(value.utf8.count),\(value)")
                }
            }
        }
    }
}
