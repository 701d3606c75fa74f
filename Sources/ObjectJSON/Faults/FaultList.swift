import HoldfastJSON

/// The faults of one request in the order they are found: the first of them, and the number of all.
///
/// A body may have a fault in each of millions of parts; one beyond ``entryCountMax`` costs no more than its number.
package struct FaultList: Sendable {
    /// How many faults of one request are told.
    package static let entryCountMax = 100

    /// The faults that are reported.
    package private(set) var entries: [RequestFault.Entry] = []
    /// The number of faults, including unreported ones.
    package private(set) var count = 0

    /// Makes a list of the faults found so far.
    package init(_ found: [RequestFault.Entry] = []) { note(found) }

    /// Makes a list with a fault for each of some items, which is made where it is told.
    init<Items: Collection>(_ items: Items, _ entry: (Items.Element) -> RequestFault.Entry) {
        entries = items.prefix(Self.entryCountMax).map(entry)
        count = items.count
    }

    package var isEmpty: Bool { count == 0 }

    /// Notes a fault, which is made where it is told.
    package mutating func note(_ entry: @autoclosure () -> RequestFault.Entry) {
        count += 1
        if entries.count < Self.entryCountMax { entries.append(entry()) }
    }

    /// Notes a fault at a place in the body.
    package mutating func note(
        _ code: String, _ detail: @autoclosure () -> String,
        at pointer: @autoclosure () -> JSONPointer, hint: @autoclosure () -> String? = nil
    ) {
        note(
            RequestFault.Entry(
                code: code, detail: detail(), pointer: pointer().description, hint: hint()))
    }

    /// The text of the first fault where there are others.
    package static func told(_ first: String, of count: Int) -> String {
        guard count > 1 else { return first }
        let others = count == 2 ? "1 more fault" : "\(count - 1) more faults"
        return "\(first) (\(others), \(told(count)).)"
    }

    /// The text beside a detail that names no further fault; empty if `errors` has all faults.
    package static func excess(of count: Int) -> String {
        count > entryCountMax ? " There are \(count) reasons, \(told(count))." : ""
    }

    private static func told(_ count: Int) -> String {
        count > entryCountMax ? "errors has the first \(entryCountMax)" : "see errors"
    }

    /// Notes the faults that a part of the request is refused for.
    package mutating func note(_ others: [RequestFault.Entry]) {
        for entry in others { note(entry) }
    }
}
