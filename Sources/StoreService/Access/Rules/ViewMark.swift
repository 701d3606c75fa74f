import HoldfastBytes
import HoldfastQuery

/// Makes the name of a view: a keyed hash of what decides what its principal may read, which is the same in every process.
///
/// That is the revision of the document, the roles that hold, and the values that their `read` rules compare with.
struct ViewMark {
    private let key: [UInt8]
    private let message = ByteBuffer(capacity: 256)

    /// - `key`: A secret of the store, so that a name does not tell what it is made of.
    init(key: [UInt8]) {
        self.key = key
        message.append("holdfast view 1" as StaticString)
    }

    /// Adds the classes that a view is limited to.
    mutating func add(_ classes: Set<String>) {
        for name in classes.sorted() { message.append("\(name.utf8.count),\(name)") }
    }

    /// Adds a view, and what it was made by.
    mutating func add(_ view: AccessView, by rules: AccessRules, for user: some UserFacts) {
        message.append(little: view.revision)
        var references: [UserReference: String] = [:]
        for role in view.roles {
            message.append("\(role.name.debugDescription):")
            let conditions = rules.roles.first { $0.name == role.name }?.classes ?? []
            for (own, condition) in zip(role.classes, conditions) {
                // What names something that the user lacks allows nothing, whatever the rest is.
                if own?.read == .constant(false) { message.append("-" as StaticString) }
                guard own?.read != .constant(false), let rule = condition?.read?.rule else {
                    continue
                }
                for reference in rule.references {
                    let known =
                        references[reference] ?? "\(String(describing: user.value(of: reference)))"
                    references[reference] = known
                    message.append("\(known.utf8.count),\(known)")
                }
            }
        }
    }

    /// The name: 16 characters of 6 bits each, since it is the key of ``ViewTag``.
    var text: String {
        // Where the library fails, no other process makes the same name.
        let code =
            message.authenticationCode(under: key) ?? (0..<12).map { _ in .random(in: 0 ... .max) }
        return code.withUnsafeBytes {
            Base64.urlText(of: UnsafeRawBufferPointer(rebasing: $0[..<12]))
        }
    }
}
