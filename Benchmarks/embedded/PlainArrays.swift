import Glibc
import HoldfastObjectStore
import HoldfastRows

/// The people's values in contiguous arrays, and the plainest loops over them, as of a program that has
/// nothing but the arrays.
struct PlainArrays {
    private var ages: [Int64] = []
    private var scores: [Double] = []
    private var actives: [Bool] = []
    private var cities: [UInt64] = []
    private var emails = Texts()
    private var tags = Texts()

    /// Texts one behind the other.
    private struct Texts {
        var bytes: [UInt8] = []
        var ends: [Int] = [0]

        mutating func append(_ text: UnsafeRawBufferPointer) {
            bytes.append(contentsOf: text)
            ends.append(bytes.count)
        }

        func count(_ holds: (UnsafePointer<UInt8>, Int) -> Bool) -> Int {
            var found = 0
            bytes.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                for index in 1..<ends.count {
                    let start = ends[index - 1]
                    if holds(base + start, ends[index] - start) { found += 1 }
                }
            }
            return found
        }

        func count(equalTo text: [UInt8]) -> Int {
            count { $1 == text.count && memcmp($0, text, text.count) == 0 }
        }

        /// Needs the text in lower case.
        func count(containing text: [UInt8]) -> Int {
            count { hay, count in
                var start = 0
                while start + text.count <= count {
                    var offset = 0
                    while offset < text.count {
                        let byte = hay[start + offset]
                        if (byte &- 0x41 < 26 ? byte | 0x20 : byte) != text[offset] { break }
                        offset += 1
                    }
                    if offset == text.count { return true }
                    start += 1
                }
                return false
            }
        }
    }

    /// Reads all people.
    init(_ read: ReadTransaction, _ rowClass: RowClass) throws {
        try read.scan(rowClass) { _, row in
            emails.append(rowClass.field(2, in: row).text(read))
            ages.append(rowClass.field(3, in: row).load(Int64.self))
            scores.append(rowClass.field(4, in: row).load(Double.self))
            actives.append(rowClass.field(5, in: row).load(UInt8.self) != 0)
            let city = rowClass.field(6, in: row)
            cities.append(city.isNull ? 0 : city.load(UInt64.self))
            rowClass.collection(7, in: row, read).forEach(within: nil) { part, offset, _ in
                tags.append(part.bytes(offset))
                return true
            }
            return true
        }
    }

    /// Returns the loop for a measurement; nil without one.
    func loop(_ name: String, _ text: String, cityKey: UInt64) -> (() -> Int)? {
        let bytes = Array(text.utf8)
        switch name {
        case "int": return { ages.reduce(0) { $0 + ($1 > 53 ? 1 : 0) } }
        case "string": return { emails.count(equalTo: bytes) }
        case "contains-one", "contains-eighth":
            let lower = bytes.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
            return { emails.count(containing: lower) }
        case "link": return { cities.reduce(0) { $0 + ($1 == cityKey ? 1 : 0) } }
        case "link-not": return { cities.reduce(0) { $0 + ($1 != cityKey ? 1 : 0) } }
        case "three":
            return {
                var found = 0
                for index in ages.indices
                where ages[index] > 30 && actives[index] && scores[index] < 50 {
                    found += 1
                }
                return found
            }
        case "any": return { tags.count(equalTo: bytes) }
        case "top": return { Set(scores.sorted(by: >).prefix(50)).count }
        default: return nil
        }
    }
}
