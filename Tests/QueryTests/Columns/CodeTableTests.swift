import Testing

@testable import HoldfastQuery

@Suite("codes of numbers")
struct CodeTableTests {
    @Test(
        "each number has one code, whichever of its bits differ",
        arguments: [0, 16, 32, 42, 48])
    func codes(shift: Int64) {
        let table = CodeTable<Int64>()
        let numbers = (0..<20_000).map { Int64($0) << shift }
        let different = Set(numbers).count
        for number in numbers + numbers.reversed() {
            let code = Int(table.code(of: number))
            #expect(table.values[code] == number)
        }
        #expect(table.count == different)
        let nothing = table.codeOfNothing(0)
        #expect(Int(nothing) == different && table.code(of: numbers[1]) != nothing)
    }

    @Test("many numbers get the codes that they would get one after the other")
    func many() {
        let (single, batched) = (CodeTable<Int64>(), CodeTable<Int64>())
        var number: Int64 = 1
        for _ in 0..<40 {
            let numbers = (0..<500).map { index in
                number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return index.isMultiple(of: 3) ? number : number >> 54
            }
            var codes = [UInt32](repeating: 0, count: numbers.count)
            batched.encode(numbers, numbers.count, into: &codes)
            #expect(codes == numbers.map { single.code(of: $0) })
        }
        #expect(single.count == batched.count)
    }
}
