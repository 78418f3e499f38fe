from services.verify.program import main

main()
