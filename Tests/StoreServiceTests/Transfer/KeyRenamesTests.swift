@testable import HoldfastTransfer
import HoldfastTestSupport
import Testing

@testable import HoldfastStoreService

@Suite("Renamed object keys")
struct KeyRenamesTests {
    @Test("are found again in whatever order they came, and are taken back to a mark")
    func model() {
        let seed = SeededGenerator.testSeed("renamed object keys")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var renames = KeyRenames()
            var model: [UInt64: UInt64] = [:]
            var next: UInt64 = 1
            func add(_ old: UInt64) {
                guard model[old] == nil else { return }
                renames.add(old, next)
                model[old] = next
                next += UInt64.random(in: 1...2, using: &random)
            }
            func compare() {
                for old in 0..<UInt64(120) { #expect(renames[old] == model[old], "seed \(seed)") }
            }
            for old in UInt64(1)..<40 where Bool.random(using: &random) { add(old) }
            let (mark, before) = (renames.mark, model)
            for _ in 0..<40 { add(UInt64.random(in: 1..<100, using: &random)) }
            compare()
            renames.roll(backTo: mark)
            model = before
            compare()
        }
    }
}
