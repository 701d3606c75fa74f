import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastTestSupport

/// Makes drafts of the benchmark's people without reading any text, drawn as `Benchmarks/person/README.md`
/// says.
final class PersonDrafts {
    private let rowClass: RowClass
    private let total: Int
    private let pool = DraftPool()
    private let tags = ScalarCollectionBuilder()
    private let text = ByteBuffer(capacity: 128)

    init(_ rowClass: RowClass, total: Int) {
        self.rowClass = rowClass
        self.total = total
    }

    private static let first = words(
        "James Mary Robert Linda John Susan Michael Karen David Lisa Carlos Nancy Daniel Sofia Mark "
            + "Emma Anders Ingrid Pierre Chloe Hiro Yuki Ivan Olga Ahmed Fatima Kwame Amara Pablo "
            + "Lucia Sean Aoife")
    private static let last = words(
        "Smith Johnson Williams Brown Jones Garcia Miller Davis Lopez Wilson Anderson Taylor Moore "
            + "Jackson Martin Lee Nielsen Hansen Dubois Durand Tanaka Suzuki Petrov Ivanova Hassan "
            + "Ali Mensah Okafor Torres Reyes Murphy Byrne")

    private static let mailbox = Array("user".utf8)
    private static let host = Array("@mail".utf8)
    private static let domain = Array(".example.com".utf8)
    private static let tag = Array("tag".utf8)

    /// All first names with all last names, and where each pair begins: made beforehand, because the cost of the
    /// benchmark's own work counts as the store's.
    private static let (names, nameStarts) = {
        var names: [UInt8] = []
        var starts = [0]
        for last in last {
            for first in first {
                names += first + [0x20] + last + [0x20]
                starts.append(names.count)
            }
        }
        return (names, starts)
    }()

    private static func words(_ text: String) -> [[UInt8]] {
        text.utf8.split(separator: 0x20).map { Array($0) }
    }

    private func append(_ number: UInt64) {
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var rest = number
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
                rest /= 10
            } while rest > 0
            text.append(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Returns the draft of a person, good until the next one is asked for.
    func draft(_ index: Int) -> ObjectDraft {
        pool.takeBack(keeping: 1)
        let draft = pool.draft(rowClass, isMerge: false)
        var draws = SeededGenerator(seed: UInt64(index) &* 0x2545_F491_4F6C_DD1D &+ 42)
        let k = draws.next() % UInt64(max(1, total / 10))
        draft.set(0, inline: InlineValue(Int64(index)))
        text.removeAll()
        let name = Int(k % 1024)
        Self.names.withUnsafeBytes { names in
            let range = Self.nameStarts[name]..<Self.nameStarts[name + 1]
            text.append(UnsafeRawBufferPointer(rebasing: names[range]))
        }
        append(k)
        draft.set(1, text: text.bytes)
        text.removeAll()
        text.append(Self.mailbox)
        append(UInt64(index))
        text.append(Self.host)
        append(draws.next() % 8)
        text.append(Self.domain)
        draft.set(2, text: text.bytes)
        let isOld = draws.next() % 1000 == 0
        let years = draws.next()
        draft.set(3, inline: InlineValue(Int64(isOld ? 101 + years % 10 : 18 + years % 72)))
        let score = Double(draws.next() >> 11) * (100.0 / 9_007_199_254_740_992.0)
        draft.set(4, inline: InlineValue(score))
        draft.set(5, inline: InlineValue(draws.next() & 1 != 0))
        let city = draws.next()
        if draws.next() % 20 == 0 {
            draft.setNull(6)
        } else {
            draft.addReference(6, element: nil) {
                OrderedKey.append(InlineValue(Int64(city % 1000)), to: $0)
            }
            draft.setReference(6)
        }
        tags.reset(.string)
        for _ in 0..<2 {
            let tag = draws.next() % 50
            text.removeAll()
            text.append(Self.tag)
            text.append(UInt8(truncatingIfNeeded: 0x30 + tag / 10))
            text.append(UInt8(truncatingIfNeeded: 0x30 + tag % 10))
            tags.append(text: text.bytes)
        }
        draft.set(7, collection: tags)
        return draft
    }
}
