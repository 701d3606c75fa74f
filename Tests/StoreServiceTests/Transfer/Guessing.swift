import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTransfer
import Testing

/// Proposals of classes for short texts.
enum Guessing {
    /// Proposes a class `Item` for a text, beside the classes of a store if there is one.
    ///
    /// - `change`: States options.
    static func proposal(
        _ text: String, in service: TestService? = nil,
        _ change: (inout GuessOptions) -> Void = { _ in }
    ) throws -> ClassProposal {
        var options = GuessOptions(ImportOptions())
        change(&options)
        let sample = Array(text.utf8).withUnsafeBytes { GuessSample($0) }
        guard let service else { return try ClassProposal(of: sample, options, nil) }
        return try service.served.withRead(for: service.caller) { read throws(RequestFault) in
            try ClassProposal(of: sample, options, read)
        }
    }

    /// The code of the refusal of a text; nil if a class is proposed.
    static func refusal(_ text: String, _ change: (inout GuessOptions) -> Void = { _ in })
        -> String?
    {
        do {
            _ = try proposal(text, in: nil, change)
            return nil
        } catch { return (error as? RequestFault)?.code ?? "\(error)" }
    }

    /// The properties of a class in a short form, such as `id int key, tags string[]`.
    static func short(_ objectClass: ObjectClass) -> String {
        objectClass.properties.map { property in
            var words = [property.name, typeText(property)]
            if property.name == objectClass.primaryKey { words.append("key") }
            if property.isIndexed { words.append("indexed") }
            if let index = property.searchIndex { words.append(index.name) }
            return words.joined(separator: " ")
        }.joined(separator: ", ")
    }

    private static func typeText(_ property: Property) -> String {
        let isScalar = property.scalar != nil
        let mark = property.isOptional && isScalar ? "?" : ""
        switch property.type {
        case .single(let element): return name(element) + mark
        case .list(let element): return name(element) + mark + "[]"
        case .set(let element): return name(element) + mark + "<>"
        case .map(let element): return name(element) + mark + "{}"
        case .linkingObjects(let className, _): return "links of \(className)"
        }
    }

    private static func name(_ element: ElementType) -> String {
        switch element {
        case .scalar(let scalar): scalar.name
        case .object(let name): name
        }
    }
}

extension ClassProposal {
    /// The reason for a property of the class; empty without one.
    func reason(_ property: String) -> String {
        reasons.first { $0.className == objectClass.name && $0.property == property }?.text ?? ""
    }

    /// The options of the command in one text.
    var optionText: String { reading.commandOptions.joined(separator: " ") }
}
