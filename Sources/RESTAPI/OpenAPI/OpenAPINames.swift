/// Hands out the names of a document: each only once, also for readers that take `City_1` and `city1`
/// for the same, as generators of clients do.
struct OpenAPINames {
    private var taken: Set<String> = []

    /// `proposal`, with the first number behind it that makes it unique.
    mutating func unique(_ proposal: String) -> String {
        var name = proposal
        var number = 1
        while !taken.insert(Self.folded(name)).inserted {
            number += 1
            name = "\(proposal)\(number)"
        }
        return name
    }

    /// A name reduced to its letters and digits of ASCII, in lower case.
    static func folded(_ name: String) -> String {
        String(
            decoding: name.lowercased().utf8.filter {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }, as: UTF8.self)
    }

    /// Whether a schema of the name would hide a type that openapi-python-client imports in the same module. The generators of
    /// openapi-generator rename schemas that have the name of one of their own types.
    static func isGenerators(_ name: String) -> Bool { generatorTypes.contains(folded(name)) }

    /// The names that the modules of openapi-python-client import: from its own `types` and `client`, and from Python's library.
    private static let generatorTypes: Set<String> = [
        "any", "authenticatedclient", "binaryio", "bytesio", "client", "file", "filetypes",
        "generator", "httpstatus", "literal", "mapping", "requestfiles", "response", "textio",
        "typechecking", "typevar", "unset", "uuid",
    ]

    /// The name of a class or property in the characters that a name of a component may have (OpenAPI
    /// 3.1, section 4.8.7): a blank is `_`, another one that it may not have is `_u` and its number.
    static func identifier(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-": text.unicodeScalars.append(scalar)
            case " ": text += "_"
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                text += "_u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            }
        }
        return text
    }

    /// An identifier that begins with a capital, to stand behind a verb.
    static func capitalised(_ identifier: String) -> String {
        identifier.prefix(1).uppercased() + identifier.dropFirst()
    }
}
