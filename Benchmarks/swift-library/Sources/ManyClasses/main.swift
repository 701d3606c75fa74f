import Foundation
import Glibc
import Holdfast

// `ManyClasses DIR`: how many milliseconds of the processor the first `Realm()` of a program takes. `make bench` makes its classes.

func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

let start = processorTime()
let realm = try Realm(fileURL: URL(fileURLWithPath: CommandLine.arguments[1]))
let taken = processorTime() - start
print((realm.isEmpty ? 1000 : 0) * taken)
