export declare const probe = 1;
