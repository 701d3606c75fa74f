import HoldfastJSON
import HoldfastText

/// Reads a definition, such as a schema, from JSON and collects every fault with its pointer.
package protocol DefinitionReader {
    /// The faults so far.
    var faults: FaultList { get set }

    /// Returns an unknown name as a fault shows it.
    static func shown(_ name: String) -> String
}

extension DefinitionReader {
    package static func shown(_ name: String) -> String { name }

    package mutating func fault(
        _ pointer: JSONPointer, _ code: String, _ detail: String,
        hint: @autoclosure () -> String? = nil
    ) {
        faults.note(code, detail, at: pointer, hint: hint())
    }

    /// Hands the known members of an object to `body` and reports the others; without `known` all are.
    ///
    /// - `foreign`: The names that other products give to the members.
    package mutating func forEachMember(
        _ object: JSONValue, _ pointer: JSONPointer, _ known: [String]? = nil,
        foreign: @autoclosure () -> ForeignWords? = nil,
        _ body: (inout Self, String, JSONValue, JSONPointer) -> Void
    ) {
        if let repeated = object.repeatedName {
            fault(
                pointer.appending(String(decoding: repeated, as: UTF8.self)), "duplicate-name",
                "A name occurs only once in an object.")
        }
        for member in object.members {
            let name = String(decoding: member.name, as: UTF8.self)
            let inner = pointer.appending(name)
            if let known, !known.contains(name) {
                // Beyond the reported faults a name is only counted.
                let help =
                    faults.count < FaultList.entryCountMax
                    ? foreign()?.help(with: name, where: known.contains) : nil
                unknownMember(name, inner, known, help)
                continue
            }
            body(&self, name, member.value, inner)
        }
    }

    /// Reports a member that is not one of the known ones.
    ///
    /// - `help`: The help for a name of other products; without it the nearest known name is the hint.
    package mutating func unknownMember(
        _ name: String, _ pointer: JSONPointer, _ known: [String], _ help: ForeignWords.Help? = nil
    ) {
        let detail =
            "There is no member '\(Self.shown(name))' here; known: \(known.joined(separator: ", "))."
        switch help {
        case .word(let word)?: fault(pointer, "unknown-member", detail, hint: word)
        case .advice(let advice)?: fault(pointer, "unknown-member", detail + " " + advice)
        case nil:
            fault(pointer, "unknown-member", detail, hint: NearestName.of(name, among: known))
        }
    }

    /// Reads a string; nil, with a fault, for other JSON.
    package mutating func readText(_ value: JSONValue, _ pointer: JSONPointer) -> String? {
        if let text = value.string { return text }
        fault(pointer, "wrong-type", "Expected a string.")
        return nil
    }

    /// Reads a bool; nil, with a fault, for other JSON.
    package mutating func readFlag(_ value: JSONValue, _ pointer: JSONPointer) -> Bool? {
        if let flag = value.bool { return flag }
        fault(pointer, "wrong-type", "Expected true or false.")
        return nil
    }

    /// Reads an integer from 0; nil, with a fault, for other JSON.
    package mutating func readNumber(_ value: JSONValue, _ pointer: JSONPointer) -> UInt64? {
        if let number = value.exactInt64, number >= 0 { return UInt64(number) }
        fault(pointer, "wrong-type", "Expected an integer from 0.")
        return nil
    }
}
