import HoldfastObjectModel

/// The names of the types in a module of TypeScript. A class keeps its own name if it can, and all other names give way.
struct TypeScriptNames {
    /// A type beside the classes, which several of them may use.
    enum Shared: CaseIterable {
        case int, double, mixed, owner

        /// The name that it has unless a class has it.
        fileprivate var proposal: String {
            switch self {
            case .int: "Int"
            case .double: "Double"
            case .mixed: "Mixed"
            case .owner: "Owner"
            }
        }

        /// A sentence about it.
        var comment: String {
            switch self {
            case .int: "A whole number of 64 bits. Beyond 2^53 it is a string."
            case .double: "A binary fraction."
            case .mixed: "Any value. A kind that JSON lacks is an object such as `{\"$date\": …}`."
            case .owner:
                "The object that an embedded one belongs to, with what `fields` names of it."
            }
        }

        /// Its definition, under a name.
        func definition(_ name: String) -> String {
            switch self {
            case .int: "number | string"
            case .double: "number | \"NaN\" | \"Infinity\" | \"-Infinity\""
            case .mixed: "null | boolean | number | string | \(name)[] | {[key: string]: \(name)}"
            case .owner:
                "{$link: {class: string; id: string | number | null}; [property: string]: unknown}"
            }
        }
    }

    /// The name of the type that lists the classes.
    let index: String
    private let classes: [ExactText: String]
    private let shared: [Shared: String]

    /// Names everything in a module with the classes of a schema.
    init(_ schema: Schema) {
        var taken = Self.reserved
        func unique(_ proposal: String) -> String {
            var (name, number) = (proposal, 1)
            while !taken.insert(name).inserted {
                number += 1
                name = "\(proposal)\(number)"
            }
            return name
        }
        var classes: [ExactText: String] = [:]
        // A name that needs no change is nobody else's.
        for isChanged in [false, true] {
            for objectClass in schema.classes {
                let identifier = Self.identifier(objectClass.name)
                if (identifier != objectClass.name) == isChanged {
                    classes[objectClass.name] = unique(identifier)
                }
            }
        }
        self.classes = classes
        index = unique("Classes")
        var shared: [Shared: String] = [:]
        for type in Shared.allCases { shared[type] = unique(type.proposal) }
        self.shared = shared
    }

    /// The name of a class's type.
    subscript(_ className: String) -> String { classes[className] ?? "unknown" }

    /// The name of a shared type.
    subscript(_ type: Shared) -> String { shared[type] ?? type.proposal }

    /// A property's name as TypeScript states it: in quotes unless it is a plain identifier.
    static func member(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain ? name : "\"\(name)\""
    }

    /// A class's name in the characters of an identifier, which may be of any script.
    private static func identifier(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let properties = scalar.properties
            let isLetter = text.isEmpty ? properties.isIDStart : properties.isIDContinue
            text.unicodeScalars.append(isLetter ? scalar : "_")
        }
        return text
    }

    /// The words that no type may have as its name.
    private static let reserved: Set<String> = [
        "any", "bigint", "boolean", "never", "null", "number", "object", "string", "symbol",
        "undefined", "unknown", "void", "await", "break", "case", "catch", "class", "const",
        "continue", "debugger", "default", "delete", "do", "else", "enum", "export", "extends",
        "false", "finally", "for", "function", "if", "implements", "import", "in", "instanceof",
        "interface", "let", "new", "package", "private", "protected", "public", "return",
        "static", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "while",
        "with", "yield",
    ]
}
