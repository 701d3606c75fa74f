import Testing

@testable import Query

@Suite("codes of numbers")
struct CodeTableTests {
    @Test(
        "each number has one code, whichever of its bits differ",
        arguments: [0, 16, 32, 42, 48])
    func codes(shift: Int64) {
        let table = CodeTable()
        let numbers = (0..<20_000).map { Int64($0) << shift }
        let different = Set(numbers).count
        for number in numbers + numbers.reversed() {
            let code = Int(table.code(of: number))
            #expect(table.numbers[code] == number)
        }
        #expect(table.count == different)
        let nothing = table.codeOfNothing()
        #expect(Int(nothing) == different && table.code(of: numbers[1]) != nothing)
    }
}
